import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Files up to this size are read at once: each trip to another thread and back takes longer than their bytes. */
const AT_ONCE = 4 * 2 ** 20;

/**
 * Reads one file after the other into the same memory: fresh memory costs more time than the bytes of a file that the
 * system has at hand. What was read stands until the next file is.
 */
export class FileReader {
  #room = new Uint8Array();

  /** All bytes of a file; fails as `readFile` does. */
  async read(path: string): Promise<Uint8Array> {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      if (size <= AT_ONCE) return this.#readAtOnce(file, size);
    } finally {
      closeSync(file);
    }
    return this.#readInSteps(path);
  }

  #readAtOnce(file: number, size: number): Uint8Array {
    const room = this.#roomFor(size);
    let length = 0;
    while (length < size) {
      const bytesRead = readSync(file, room, length, size - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return room.subarray(0, length);
  }

  async #readInSteps(path: string): Promise<Uint8Array> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const room = this.#roomFor(size);
      let length = 0;
      while (length < size) {
        const { bytesRead } = await file.read(room, length, size - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return room.subarray(0, length);
    } finally {
      await file.close();
    }
  }

  #roomFor(size: number): Uint8Array {
    if (this.#room.length < size) this.#room = new Uint8Array(size);
    return this.#room;
  }
}
