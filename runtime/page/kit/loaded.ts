/** What a panel asks the node for beside status and configuration. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { faultOf } from './sentences.ts';

export interface Loaded<T> {
  /** Of the last answer. */
  readonly data: T | undefined;
  /** Why the last request had none. */
  readonly fault: string | undefined;
  reload(): Promise<void>;
}

/** Asks once, and again every `everyMs` while the page is seen. */
export function useLoaded<T>(load: () => Promise<T>, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ data: T | undefined; fault: string | undefined }>({
    data: undefined,
    fault: undefined,
  });
  const latest = useRef(load);
  latest.current = load;
  const mounted = useRef(true);
  const reload = useCallback(async () => {
    try {
      const data = await latest.current();
      if (mounted.current) setState({ data, fault: undefined });
    } catch (error) {
      if (mounted.current) setState(({ data }) => ({ data, fault: faultOf(error) }));
    }
  }, []);
  useEffect(() => {
    mounted.current = true;
    void reload();
    const timer = everyMs === undefined ? undefined : setInterval(() => document.hidden || void reload(), everyMs);
    return () => {
      mounted.current = false;
      clearInterval(timer);
    };
  }, [everyMs, reload]);
  return { ...state, reload };
}
