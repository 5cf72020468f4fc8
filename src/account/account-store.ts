import { onlyRow, type PreparedQueryable, type Queryable } from '../platform/database/database.ts';
import { type Account, AccountError, planNamed } from './account.ts';
import { mostGenerousPlan, type PlanTable } from './plan.ts';

interface AccountRow {
  id: string;
  name: string;
  plan: string;
  created_at: Date;
  is_operator: boolean;
}

/** What decides whether a key still opens its account. */
export interface KeyState {
  id: string;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export interface KeyOwner {
  account: Account;
  key: KeyState;
}

interface KeyRow extends AccountRow {
  hash: string;
  key_id: string;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

const columns = 'id, name, plan, created_at, is_operator';
/** An advisory lock: there is no row to lock yet. */
const firstAccountLock = 7_001_001;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type AccountStore = ReturnType<typeof accountStore>;

/** Like every store, with the table that gives an account's plan its limits. */
export function accountStore(plans: PlanTable) {
  const accountOf = (row: AccountRow): Account => ({
    id: row.id,
    name: row.name,
    plan: planNamed(plans, row.plan),
    createdAt: row.created_at,
    isOperator: row.is_operator,
  });
  return {
    async create(db: Queryable, { name, plan }: { name: string; plan: string }): Promise<Account> {
      planNamed(plans, plan);
      const rows = await db.query<AccountRow>(
        `insert into account (name, plan) values ($1, $2) returning ${columns}`,
        [name, plan],
      );
      return accountOf(onlyRow(rows));
    },

    async list(db: Queryable): Promise<Account[]> {
      const rows = await db.query<AccountRow>(
        `select ${columns} from account where not is_internal and deleted_at is null order by created_at, id`,
      );
      return rows.map(accountOf);
    },

    /** The account made at the first start, if there is any account at all. */
    async first(db: Queryable): Promise<Account | undefined> {
      const [row] = await db.query<AccountRow>(
        `select ${columns} from account where not is_internal and deleted_at is null
         order by created_at, id limit 1`,
      );
      return row && accountOf(row);
    },

    /** Until this transaction ends nobody else looks for the first account to make it. */
    async lockFirst(tx: Queryable): Promise<void> {
      await tx.query('select pg_advisory_xact_lock($1)', [firstAccountLock]);
    },

    /** The account of the command line itself, on the most generous plan. */
    async internal(db: Queryable): Promise<Account> {
      const plan = mostGenerousPlan(plans).name;
      const rows = await db.query<AccountRow>(
        `insert into account (name, plan, is_internal) values ('command line', $1, true)
         on conflict (is_internal) where is_internal do update set plan = excluded.plan returning ${columns}`,
        [plan],
      );
      return accountOf(onlyRow(rows));
    },

    async find(db: Queryable, id: string): Promise<Account | undefined> {
      if (!uuidPattern.test(id)) return undefined;
      const [row] = await db.query<AccountRow>(
        `select ${columns} from account where id = $1 and deleted_at is null`,
        [id],
      );
      return row && accountOf(row);
    },

    /** Whose keys they are, and how they stand, by their hashes in hexadecimal. */
    async ofKeys(db: PreparedQueryable, hashes: readonly string[]): Promise<Map<string, KeyOwner>> {
      const rows = await db.prepared<KeyRow>(
        'account_of_key',
        `select account.id, account.name, account.plan, account.created_at, account.is_operator,
           key.id as key_id, key.last_used_at, key.expires_at, key.revoked_at, encode(key.hash, 'hex') as hash
         from api_key key join account on account.id = key.account_id
         where key.hash = any($1::bytea[]) and account.deleted_at is null`,
        [hashes.map((hash) => Buffer.from(hash, 'hex'))],
      );
      return new Map(rows.map((row) => [row.hash, { account: accountOf(row), key: keyStateOf(row) }]));
    },

    async get(db: Queryable, id: string): Promise<Account> {
      const account = await this.find(db, id);
      if (!account) throw unknownAccount(id);
      return account;
    },

    /** How many jobs of an account may run at once by its plan; one at a time where that is no longer in the table. */
    runningMax(plan: string): number {
      return plans.get(plan)?.runningTranscriptionsMax ?? 1;
    },

    async setPlan(db: Queryable, id: string, plan: string): Promise<Account> {
      planNamed(plans, plan);
      await this.get(db, id);
      const rows = await db.query<AccountRow>(
        `update account set plan = $2 where id = $1 returning ${columns}`,
        [id, plan],
      );
      return accountOf(onlyRow(rows));
    },

    async setOperator(db: Queryable, id: string, isOperator: boolean): Promise<Account> {
      await this.get(db, id);
      const rows = await db.query<AccountRow>(
        `update account set is_operator = $2 where id = $1 returning ${columns}`,
        [id, isOperator],
      );
      return accountOf(onlyRow(rows));
    },

    /** From now on nobody finds the account. May be repeated; throws when there is none, or when it is not to be deleted. */
    async markDeleted(tx: Queryable, id: string): Promise<void> {
      const rows = uuidPattern.test(id)
        ? await tx.query(
            `update account set deleted_at = coalesce(deleted_at, now())
             where id = $1 and not is_internal returning id`,
            [id],
          )
        : [];
      if (rows.length === 0) throw unknownAccount(id);
    },

    /** Accounts whose erasure was begun and not finished. */
    async listDeleted(db: Queryable): Promise<string[]> {
      const rows = await db.query<{ id: string }>(
        'select id from account where deleted_at is not null order by deleted_at limit 100',
      );
      return rows.map(({ id }) => id);
    },
  };
}

function keyStateOf(row: KeyRow): KeyState {
  const { key_id: id, last_used_at: lastUsedAt, expires_at: expiresAt, revoked_at: revokedAt } = row;
  return { id, lastUsedAt, expiresAt, revokedAt };
}

function unknownAccount(id: string): AccountError {
  return new AccountError(`There is no account ${id}. "longhand account list" shows them.`);
}
