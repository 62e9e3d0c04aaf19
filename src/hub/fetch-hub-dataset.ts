import { fetchListed, type HubFile, listedFile } from './fetch-hub-file.js';
import type { HubAccess } from './hub-access.js';
import { hubFault, isNotFound } from './hub-fault.js';
import { type HubRepository, type ListedFile, pageOf, type RepositoryListing } from './hub-repository.js';
import { hasAll, listOrShared, sharedListing } from './shared-listing.js';
import { splitFiles, splitNames } from './split-files.js';

export interface HubDataset {
  /** `owner/name`. */
  readonly name: string;
  readonly revision: string | undefined;
  readonly config: string | undefined;
  /** A split, or files of the repository by their paths. */
  readonly rows: { readonly split: string } | { readonly files: readonly string[] };
}

/** The branch on which the hub keeps what it made of a data set that is a loading script. */
const CONVERTED = 'refs/convert/parquet';

/**
 * The files of a split, downloaded and checked unless they are here already. A repository without such files (a loading
 * script) is looked up in the hub's own conversion to Parquet, if no revision was asked for.
 *
 * @throws SupportCalError missing-file: what listRepository throws; no such split, config or file
 */
export async function fetchHubDataset(dataset: HubDataset, access: HubAccess): Promise<HubFile[]> {
  const { name, rows } = dataset;
  const repository: HubRepository = { kind: 'dataset', name, revision: dataset.revision ?? 'main' };
  const listing = await listOrShared(repository, access, () => fromShared(dataset, repository, access));
  if ('files' in rows) {
    const listed = rows.files.map((file) => listedFile(repository, listing.files, file));
    return fetchAll(repository, listing.commit, listed, access);
  }
  const own = checked(repository, splitFiles(listing.files, rows.split, dataset.config));
  if (own.length > 0) return fetchAll(repository, listing.commit, own, access);
  if (dataset.revision === undefined) {
    const converted = { ...repository, revision: CONVERTED };
    const conversion = await listConversion(converted, access);
    const files = checked(converted, convertedFiles(conversion.files, rows.split, dataset.config));
    if (files.length > 0) return fetchAll(converted, conversion.commit, files, access);
    throw noSuchSplit(repository, dataset, [...listing.files, ...conversion.files]);
  }
  throw noSuchSplit(repository, dataset, listing.files);
}

/**
 * Offline: what the hub's own tools have fetched of the data set or of its conversion, where that has all rows asked
 * for.
 */
async function fromShared(
  { revision, rows, config }: HubDataset,
  repository: HubRepository,
  access: HubAccess,
): Promise<RepositoryListing | null> {
  const own = (await sharedListing(repository, access)) ?? { commit: '', files: [] };
  if ('files' in rows) return hasAll(own, rows.files) ? own : null;
  const found = splitFiles(own.files, rows.split, config);
  if (!('fault' in found) && found.length > 0) return own;
  return revision === undefined && (await sharedListing({ ...repository, revision: CONVERTED }, access)) ? own : null;
}

async function fetchAll(
  repository: HubRepository,
  commit: string,
  listed: readonly ListedFile[],
  access: HubAccess,
): Promise<HubFile[]> {
  const files: HubFile[] = [];
  for (const each of listed) files.push(await fetchListed(repository, commit, each, access));
  return files;
}

/** `<config>/<split>/0000.parquet`; without a config, that of the only one. */
function convertedFiles(files: readonly ListedFile[], split: string, config: string | undefined) {
  if (config !== undefined) return splitFiles(files, split, config);
  const configs = new Set(files.flatMap(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : [])));
  if (configs.has('default')) return splitFiles(files, split, 'default');
  const [only] = configs;
  if (configs.size > 1)
    return { fault: `it has several configurations; write \`config:\` (${[...configs].sort().join(', ')})` };
  return only === undefined ? [] : splitFiles(files, split, only);
}

/** A repository without a conversion has none of its files; any other fault is one. */
async function listConversion(repository: HubRepository, access: HubAccess): Promise<RepositoryListing> {
  return listOrShared(repository, access).catch((error) => {
    if (!isNotFound(error)) throw error;
    return { commit: '', files: [] };
  });
}

function checked(repository: HubRepository, files: ListedFile[] | { readonly fault: string }): ListedFile[] {
  if ('fault' in files) throw hubFault(pageOf(repository), files.fault);
  return files;
}

function noSuchSplit(repository: HubRepository, { rows, config }: HubDataset, files: readonly ListedFile[]) {
  const split = 'split' in rows ? rows.split : '';
  const names = splitNames(files);
  const found = names.length === 0 ? 'no files of rows' : names.slice(0, 30).join(', ');
  const wanted = `no files of split "${split}"${config === undefined ? '' : ` of configuration "${config}"`}`;
  return hubFault(pageOf(repository), `${wanted}; it has ${found}; or name them with \`files: [...]\``);
}
