import {
  NoSuchObject,
  ObjectChanged,
  type ObjectStores,
  type ReadOptions,
  type StorageId,
  StorageUnavailable,
} from './object-store.ts';

/** This machine's settings do not name the storage that an object is in; another machine's may. */
export class StorageNotConfigured extends Error {
  override readonly name = 'StorageNotConfigured';
}

const known = [NoSuchObject, ObjectChanged, StorageUnavailable];

/** The bytes of an object. A store that breaks off in the middle is as unavailable as one that does not answer. */
export async function* readObject(
  stores: ObjectStores,
  { storage, key }: { storage: StorageId; key: string },
  options?: ReadOptions,
): AsyncGenerator<Buffer> {
  const store = stores.get(storage);
  if (!store) throw new StorageNotConfigured(`the storage ${storage} is not configured on this machine`);
  try {
    yield* (await store.read(key, options)) as AsyncIterable<Buffer>;
  } catch (error) {
    if (known.some((kind) => error instanceof kind)) throw error;
    throw new StorageUnavailable('the object could not be read to its end', { cause: error });
  }
}
