/** What only some roles may do: everybody sees it, and it is disabled for the others. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ROLES, type Role } from '../http/roles.ts';
import type { SessionView } from '../sign-in/contract.ts';

/** The role of who is signed in. */
export const OwnRole = createContext<SessionView['role']>('viewer');

/** Whether a role is enough for what takes another: they are in their order. */
export const isEnough = (has: SessionView['role'], takes: Role): boolean =>
  (ROLES as readonly (typeof has)[]).indexOf(has) >= ROLES.indexOf(takes);

/** Fields and buttons for this role and higher ones: the fleet refuses them from others, and the browser disables them. */
export const Allowed = ({ takes, children }: { takes: Role; children: ComponentChildren }) => (
  <fieldset class="allowed" disabled={!isEnough(useContext(OwnRole), takes)}>
    {children}
  </fieldset>
);
