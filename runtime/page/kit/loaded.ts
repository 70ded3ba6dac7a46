/** What a panel asks the node for beside status and configuration. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useMissed } from './missed.ts';
import { faultOf } from './sentences.ts';

export interface Loaded<T> {
  /** What the last answer brought. */
  readonly data: T | undefined;
  /** Why the last request had none. */
  readonly fault: string | undefined;
  reload(): Promise<void>;
}

/** Asks once, and again every `everyMs` while the page is seen and its node answers; one request at a time. */
export function useLoaded<T>(load: () => Promise<T>, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ data: T | undefined; fault: string | undefined }>({
    data: undefined,
    fault: undefined,
  });
  const latest = useRef(load);
  latest.current = load;
  const mounted = useRef(true);
  const waiting = useRef(0);
  const missed = useMissed() !== undefined;
  const reload = useCallback(async () => {
    waiting.current += 1;
    try {
      const data = await latest.current();
      if (mounted.current) setState({ data, fault: undefined });
    } catch (error) {
      if (mounted.current) setState(({ data }) => ({ data, fault: faultOf(error) }));
    } finally {
      waiting.current -= 1;
    }
  }, []);
  useEffect(() => {
    if (missed) return;
    mounted.current = true;
    void reload();
    const look = () => document.hidden || waiting.current > 0 || void reload();
    const timer = everyMs === undefined ? undefined : setInterval(look, everyMs);
    return () => {
      mounted.current = false;
      clearInterval(timer);
    };
  }, [everyMs, reload, missed]);
  return { ...state, reload };
}
