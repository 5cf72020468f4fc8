/** Unfinished uploads in the browser's own database: a reload, a crash or a share from a phone loses none. */
import type { UploadState } from 'longhand-client';

/** What is kept of an upload. Also written by the service worker, for files that other apps share. */
export interface KeptUpload {
  id: string;
  /** Undefined for a shared file: it belongs to whoever opens the page next. */
  accountId?: string;
  name: string;
  size: number;
  type: string;
  lastModified: number;
  speakers: boolean;
  /** Small files themselves; of large ones the person is asked again. */
  file?: Blob;
  /** Of an upload in parts: where to go on. */
  state?: UploadState;
}

const databaseName = 'longhand';
const storeName = 'upload';
const version = 1;

function done<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function withStore<Result>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = indexedDB.open(databaseName, version);
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { keyPath: 'id' });
  const database = await done(opening);
  try {
    return await done(work(database.transaction(storeName, mode).objectStore(storeName)));
  } finally {
    database.close();
  }
}

/** A browser that keeps nothing (a private window, a full disk) still uploads; it only cannot go on after a reload. */
export const uploadStore = {
  async put(upload: KeptUpload): Promise<void> {
    await withStore('readwrite', (store) => store.put(upload)).catch(() => {});
  },

  async delete(id: string): Promise<void> {
    await withStore('readwrite', (store) => store.delete(id)).catch(() => {});
  },

  async list(): Promise<KeptUpload[]> {
    return withStore<KeptUpload[]>('readonly', (store) => store.getAll()).catch(() => []);
  },

  async clear(): Promise<void> {
    await withStore('readwrite', (store) => store.clear()).catch(() => {});
  },
};
