import { onlyRow, type Queryable } from '../../platform/database/database.ts';

export const localIdentityStore = {
  async find(db: Queryable): Promise<string | undefined> {
    const [row] = await db.query<{ id: string }>('select id from local_storage');
    return row?.id;
  },

  /** Names the directory of this database, unless it has one. Gives the one that counts. */
  async bind(db: Queryable, id: string): Promise<string> {
    await db.query('insert into local_storage (id) values ($1) on conflict do nothing', [id]);
    return onlyRow(await db.query<{ id: string }>('select id from local_storage')).id;
  },
};
