/** Whether what the page shows is still known: nothing is, from when the node last answered. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** When the node last answered (Date.now()); undefined while it does. */
export const Missed = createContext<number | undefined>(undefined);
/** When the node last answered (Date.now()); undefined while it does. For components of the page. */
export const useMissed = (): number | undefined => useContext(Missed);
