import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading, Trouble } from './states.tsx';
import { text } from './text.ts';

/** A component whose code is fetched when it is first shown. */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function LazyPage(props: Props) {
    const [state, setState] = useState<'loading' | 'there' | 'broken'>('loading');
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (component) => {
          Loaded = component;
          setState('there');
        },
        () => setState('broken'),
      );
    }, []);
    if (Loaded) return <Loaded {...props} />;
    if (state === 'loading') return <Loading />;
    // After an upgrade the files of an open page are gone: the page itself has to come anew.
    return <Trouble retry={() => location.reload()}>{text.unreachable}</Trouble>;
  };
}
