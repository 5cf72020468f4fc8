/** Who is signed in here. */
import { signal } from '@preact/signals';
import { uploadStore } from './add/upload-store.ts';
import { request } from './request.ts';

export interface Account {
  id: string;
  name: string;
  is_operator: boolean;
  used_today: number;
  plan: {
    name: string;
    file_bytes_max: number;
    media_seconds_max: number;
    daily_transcriptions_max: number;
    speaker_diarization: boolean;
  };
}

export type SessionState =
  | { state: 'unknown' | 'unreachable' }
  | { state: 'signed-out'; hasIdentityProvider: boolean }
  | { state: 'signed-in'; account: Account };

export const session = signal<SessionState>({ state: 'unknown' });

export async function loadSession(): Promise<void> {
  try {
    const answer = await request<{ account: Account | null; has_identity_provider?: boolean }>(
      'GET',
      '/web/session',
    );
    const { account, has_identity_provider: hasIdentityProvider = false } = answer;
    session.value = account ? { state: 'signed-in', account } : { state: 'signed-out', hasIdentityProvider };
  } catch {
    session.value = { state: 'unreachable' };
  }
}

export async function signIn(by: { token: string } | { api_key: string }): Promise<void> {
  await request('POST', '/web/session', { body: by });
  await loadSession();
}

export async function signOut(): Promise<void> {
  await request('DELETE', '/web/session');
  // Nothing of one person stays for the next one at this browser.
  await uploadStore.clear();
  await loadSession();
}

/** For pages that only a signed-in person sees. */
export function account(): Account {
  const now = session.value;
  if (now.state !== 'signed-in') throw new Error('nobody is signed in');
  return now.account;
}
