import { createHash } from 'node:crypto';

const READABLE_LENGTH = 48;

/**
 * A file name for a label: its readable part and 8 digits of its hash, such as `hf-org-repo-Q4_K_M-1f0c22ab`. Safe on
 * every file system (no separators, reserved names or trailing dots, at most 57 characters); two labels that differ at
 * all, even in case alone, get different names.
 */
export function slugOf(label: string): string {
  return `${readableSlug(label)}-${createHash('sha256').update(JSON.stringify(label)).digest('hex').slice(0, 8)}`;
}

/** The readable part alone. It is not unique: put a hash beside it. */
export function readableSlug(label: string): string {
  const slug = label
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, READABLE_LENGTH)
    .replace(/[-.]+$/, '');
  return slug === '' ? 'x' : slug;
}
