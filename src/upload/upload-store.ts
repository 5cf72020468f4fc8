import { onlyRow, type Queryable } from '../platform/database/database.ts';
import type { StorageId } from '../storage/object-store.ts';
import type { UnusedUploads, Upload, UploadStatus } from './upload.ts';

interface UploadRow {
  id: string;
  account_id: string;
  storage: StorageId;
  object_key: string;
  filename: string;
  content_type: string;
  size_bytes: string;
  part_size_bytes: number | null;
  multipart_id: string | null;
  status: UploadStatus;
  created_at: Date;
  expires_at: Date;
  parts_hash: Buffer | null;
  erased_at: Date | null;
}

const columns = `id, account_id, storage, object_key, filename, content_type, size_bytes, part_size_bytes,
  multipart_id, status, created_at, expires_at, parts_hash, erased_at`;

export interface NewUpload extends Omit<Upload, 'multipartId' | 'status' | 'partsHash' | 'erasedAt'> {
  /** Of its size, what is not promised to a signed URL: whoever writes it makes sure of the room. */
  receivedBytes?: number;
}

/** What is needed to erase the bytes of an upload whose row is gone. */
export interface DeletedUpload {
  storage: StorageId;
  key: string;
  expiresAt: Date;
  isMultipart: boolean;
}

export const uploadStore = {
  async insert(db: Queryable, upload: NewUpload): Promise<Upload> {
    const rows = await db.query<UploadRow>(
      `insert into upload (id, account_id, storage, object_key, filename, content_type, size_bytes,
         part_size_bytes, created_at, expires_at, received_bytes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       returning ${columns}`,
      [
        upload.id,
        upload.accountId,
        upload.storage,
        upload.key,
        upload.filename,
        upload.contentType,
        upload.sizeBytes,
        upload.partSizeBytes,
        upload.createdAt,
        upload.expiresAt,
        upload.receivedBytes ?? 0,
      ],
    );
    return uploadOf(onlyRow(rows));
  },

  /** All bytes of an upload have come through the service itself: its size is known by now. */
  async settleSize(db: Queryable, { id, sizeBytes }: { id: string; sizeBytes: number }): Promise<boolean> {
    const rows = await db.query(
      `update upload set size_bytes = $2, received_bytes = $2 where id = $1 and status = 'open' returning id`,
      [id, sizeBytes],
    );
    return rows.length === 1;
  },

  async setMultipartId(db: Queryable, id: string, multipartId: string): Promise<void> {
    await db.query(
      `update upload set multipart_id = $2 where id = $1 and status = 'open' and multipart_id is null`,
      [id, multipartId],
    );
  },

  async find(
    db: Queryable,
    { accountId, storage, key }: { accountId: string; storage: StorageId; key: string },
  ): Promise<Upload | undefined> {
    const [row] = await db.query<UploadRow>(
      `select ${columns} from upload where account_id = $1 and storage = $2 and object_key = $3`,
      [accountId, storage, key],
    );
    return row && uploadOf(row);
  },

  /** Until the transaction ends no other one of this account gets past here. */
  async lockAccount(tx: Queryable, accountId: string): Promise<void> {
    await tx.query('select 1 from account where id = $1 for no key update', [accountId]);
  },

  /** What an account has prepared and no job uses yet. */
  async unused(db: Queryable, accountId: string): Promise<UnusedUploads> {
    const rows = await db.query<{ bytes: string; open: number }>(
      `select coalesce(sum(size_bytes), 0) as bytes, (count(*) filter (where status = 'open'))::int as open
       from upload where account_id = $1 and status in ('open', 'completed') and last_used_at is null`,
      [accountId],
    );
    const { bytes, open } = onlyRow(rows);
    return { bytes: Number(bytes), openUploads: open };
  },

  /** Whether bytes may arrive under this key. */
  async isOpen(db: Queryable, { storage, key }: { storage: StorageId; key: string }): Promise<boolean> {
    const rows = await db.query(
      `select id from upload where storage = $1 and object_key = $2 and status = 'open'`,
      [storage, key],
    );
    return rows.length === 1;
  },

  /** Bytes have arrived on our own disk. False when the upload is gone meanwhile: then nobody wants them. */
  async markReceived(db: Queryable, { key, bytes }: { key: string; bytes: number }): Promise<boolean> {
    const rows = await db.query(
      `update upload set received_bytes = least(size_bytes, received_bytes + $2)
       where storage = 'local' and object_key = $1 and status <> 'discarded' returning id`,
      [key, bytes],
    );
    return rows.length === 1;
  },

  /** What signed URLs may still bring to our own disk. */
  async promisedBytes(db: Queryable, now: Date): Promise<number> {
    const rows = await db.query<{ bytes: number }>(
      `select coalesce(sum(size_bytes - received_bytes), 0)::float8 as bytes from upload
       where storage = 'local' and status = 'open' and expires_at > $1`,
      [now],
    );
    return onlyRow(rows).bytes;
  },

  /** What an account has on our own disk, or was promised there; and whether others share the disk. */
  async storedOnDisk(
    db: Queryable,
    accountId: string,
    now: Date,
  ): Promise<{ storedBytes: number; hasNeighbours: boolean }> {
    const rows = await db.query<{ storedBytes: number; hasNeighbours: boolean }>(
      `select coalesce(sum(case when status = 'open' and expires_at <= $2 then received_bytes else size_bytes end), 0)::float8
                as "storedBytes",
              exists (select from account where id <> $1 and not is_internal and deleted_at is null) as "hasNeighbours"
       from upload where account_id = $1 and storage = 'local' and status in ('open', 'completed')`,
      [accountId, now],
    );
    return onlyRow(rows);
  },

  /** open → completed. False when it was completed or discarded before. */
  async complete(
    db: Queryable,
    { id, partsHash, at }: { id: string; partsHash: Buffer; at: Date },
  ): Promise<boolean> {
    const rows = await db.query(
      `update upload set status = 'completed', completed_at = $2, parts_hash = $3
       where id = $1 and status = 'open' and expires_at > $2
       returning id`,
      [id, at, partsHash],
    );
    return rows.length === 1;
  },

  /** open → discarded. False when it was completed or discarded before. */
  async discard(db: Queryable, { id, at }: { id: string; at: Date }): Promise<boolean> {
    const rows = await db.query(
      `update upload set status = 'discarded', discarded_at = $2 where id = $1 and status = 'open' returning id`,
      [id, at],
    );
    return rows.length === 1;
  },

  async markErased(db: Queryable, { id, at }: { id: string; at: Date }): Promise<void> {
    await db.query(
      `update upload set erased_at = $2 where id = $1 and status = 'discarded' and erased_at is null`,
      [id, at],
    );
  },

  /**
   * Ties a job to its upload, in the job's own transaction. A single PUT counts as completed once a job uses it.
   * False when the upload was discarded meanwhile: the row lock lets either the sweep or the job win, never both.
   */
  async use(
    tx: Queryable,
    { uploadId, transcriptionId, at }: { uploadId: string; transcriptionId: string; at: Date },
  ): Promise<boolean> {
    const used = await tx.query(
      `update upload set status = 'completed', completed_at = coalesce(completed_at, $2), last_used_at = $2
       where id = $1 and (status = 'completed' or (status = 'open' and part_size_bytes is null))
       returning id`,
      [uploadId, at],
    );
    if (used.length === 0) return false;
    await tx.query('insert into upload_use (upload_id, transcription_id) values ($1, $2)', [
      uploadId,
      transcriptionId,
    ]);
    return true;
  },

  /**
   * Deletes the uploads that these jobs use and no other does; gives those that have bytes. The lock comes first: a
   * job that uses one of them at this moment is seen, or finds it gone.
   */
  async deleteUsedOnlyBy(tx: Queryable, transcriptionIds: readonly string[]): Promise<DeletedUpload[]> {
    const used = await tx.query<{ id: string }>(
      `select id from upload where id in (select upload_id from upload_use where transcription_id = any($1))
       order by id for update`,
      [transcriptionIds],
    );
    const rows = await tx.query<DeletedRow>(
      `delete from upload where id = any($1) and not exists (
         select 1 from upload_use where upload_id = upload.id and transcription_id <> all($2))
       returning ${deletedColumns}`,
      [used.map(({ id }) => id), transcriptionIds],
    );
    return deletedOf(rows);
  },

  /** Deletes so many uploads of an account, used or not; gives those that have bytes. */
  async deleteOfAccount(
    tx: Queryable,
    { accountId, limit }: { accountId: string; limit: number },
  ): Promise<{ deleted: number; withBytes: DeletedUpload[] }> {
    const rows = await tx.query<DeletedRow>(
      `delete from upload where id in (select id from upload where account_id = $1 order by id limit $2 for update)
       returning ${deletedColumns}`,
      [accountId, limit],
    );
    return { deleted: rows.length, withBytes: deletedOf(rows) };
  },
};

type DeletedRow = Pick<UploadRow, 'storage' | 'object_key' | 'expires_at' | 'part_size_bytes' | 'erased_at'>;
const deletedColumns = 'storage, object_key, expires_at, part_size_bytes, erased_at';

function deletedOf(rows: readonly DeletedRow[]): DeletedUpload[] {
  return rows
    .filter((row) => row.erased_at === null)
    .map((row) => ({
      storage: row.storage,
      key: row.object_key,
      expiresAt: row.expires_at,
      isMultipart: row.part_size_bytes !== null,
    }));
}

function uploadOf(row: UploadRow): Upload {
  return {
    id: row.id,
    accountId: row.account_id,
    storage: row.storage,
    key: row.object_key,
    filename: row.filename,
    contentType: row.content_type,
    sizeBytes: Number(row.size_bytes),
    partSizeBytes: row.part_size_bytes,
    multipartId: row.multipart_id,
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    partsHash: row.parts_hash,
    erasedAt: row.erased_at,
  };
}
