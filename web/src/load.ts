import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { request } from './request.ts';

export interface Loaded<Data> {
  data: Signal<Data | undefined>;
  isBroken: Signal<boolean>;
  reload(): Promise<void>;
}

/** What a route below `/web` gives, read when the page opens and whenever it asks again. */
export function useLoaded<Data>(path: string): Loaded<Data> {
  const data = useSignal<Data | undefined>(undefined);
  const isBroken = useSignal(false);
  const reload = useCallback(async () => {
    try {
      data.value = await request<Data>('GET', path);
      isBroken.value = false;
    } catch {
      isBroken.value = true;
    }
  }, [path, data, isBroken]);
  useEffect(() => void reload(), [reload]);
  return { data, isBroken, reload };
}
