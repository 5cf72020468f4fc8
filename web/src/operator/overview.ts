import type { Texts } from '../text/en.ts';

/** What `/web/operator` gives. */
export interface Overview {
  jobs: {
    stages: Record<keyof Texts['operator']['stages'], number>;
    ended: { completed: number; failed: number };
  };
  oldest_queued_seconds: number | null;
  pending_audio_seconds: number;
  workers: {
    id: string;
    /** Null where a worker of an older release did not say. */
    host: string | null;
    version: string | null;
    engine: string | null;
    models: string[] | null;
    capacity: number | null;
    silent_seconds: number;
  }[];
  disk: { free_bytes: number; total_bytes: number; reserve_bytes: number };
  failures: {
    id: string;
    account_name: string;
    filename: string;
    finished_at: string | null;
    error_code: string | null;
    error: string | null;
  }[];
  plans: string[];
  accounts: {
    id: string;
    name: string;
    plan: string;
    is_operator: boolean;
    created_at: string;
    jobs: number;
  }[];
}
