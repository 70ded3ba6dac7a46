/** The page of operators: who is signed in, the menu, and the current view. */
import { type ComponentType, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../page/kit/action.tsx';
import { Languages } from '../../page/languages.tsx';
import type { Role } from '../http/roles.ts';
import type { SessionView } from '../sign-in/contract.ts';
import { type Address, linkTo, useAddress } from './address.ts';
import { AlertsView } from './alerts.tsx';
import { isEnough, OwnRole } from './allowed.tsx';
import { ask, onSessionEnd, useAsked } from './api.ts';
import { AuditView } from './audit.tsx';
import { HistoryView } from './history.tsx';
import { NodeView } from './node.tsx';
import { NodesView } from './nodes.tsx';
import { PeopleView } from './people.tsx';
import { Shown } from './pieces.tsx';
import { RecipesView } from './recipes.tsx';
import { RolloutsView, RolloutView } from './rollouts.tsx';
import { say } from './say.ts';
import { SettingsPage } from './settings.tsx';
import { SignIn } from './sign-in.tsx';
import { SitesView, SiteView } from './sites.tsx';

interface ViewProps {
  readonly address: Address;
  readonly session: SessionView;
}
interface View {
  readonly id: string;
  readonly title: (subject: string) => string;
  readonly Body: ComponentType<ViewProps>;
  /** The entry of the menu that it belongs to, where it is none itself. */
  readonly under?: string;
  /** The least role that sees it; everybody unless given. */
  readonly role?: Role;
}

const VIEWS: readonly [View, ...View[]] = [
  { id: 'nodes', title: () => say('nodes'), Body: NodesView },
  { id: 'node', title: (id) => id, Body: NodeView, under: 'nodes' },
  { id: 'sites', title: () => say('sites'), Body: SitesView },
  { id: 'site', title: (name) => name, Body: SiteView, under: 'sites' },
  { id: 'alerts', title: () => say('alerts'), Body: AlertsView },
  { id: 'history', title: () => say('history'), Body: HistoryView },
  { id: 'rollouts', title: () => say('rollouts'), Body: RolloutsView },
  { id: 'rollout', title: (id) => say('rollout', { id }), Body: RolloutView, under: 'rollouts' },
  { id: 'recipes', title: () => say('recipes'), Body: RecipesView },
  { id: 'settings', title: () => say('settings'), Body: SettingsPage },
  { id: 'people', title: () => say('people'), Body: PeopleView, role: 'owner' },
  { id: 'audit', title: () => say('audit'), Body: AuditView, role: 'operator' },
];

function App() {
  const asked = useAsked<SessionView>('session');
  const [given, setGiven] = useState<SessionView>();
  const session = given ?? asked.data;
  useEffect(() => {
    if (session !== undefined) onSessionEnd(() => setGiven({ ...session, name: null }));
  }, [session]);
  const address = useAddress();
  const view = VIEWS.find(({ id }) => id === address.view) ?? VIEWS[0];
  const isIn = session !== undefined && session.name !== null;
  const title = isIn ? view.title(address.subject) : say('signIn');
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef('');
  useEffect(() => {
    document.title = `${title} · ${say('fleet')}`;
    if (session === undefined) return;
    // Whoever goes to another view starts at its heading; filters change what is below them.
    const place = isIn ? `${view.id}/${address.subject}` : '';
    if (before.current !== '' && before.current !== place) {
      heading.current?.focus();
      scrollTo(0, 0);
    }
    before.current = place || ' ';
  }, [title, view, address.subject, session]);
  const signOut = async () => {
    await ask('DELETE', 'session');
    setGiven(await ask<SessionView>('GET', 'session'));
    return undefined;
  };
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        {say('skipTo', { title })}
      </button>
      <header class="top">
        <div>
          <h1>{say('fleet')}</h1>
        </div>
        {isIn && (
          <div class="row">
            <span dir="auto">{say.find(`who_${session.name}`) ?? session.name}</span>
            <Button onPress={signOut}>{say('signOut')}</Button>
          </div>
        )}
        <Languages />
      </header>
      <Menu current={isIn ? (view.under ?? view.id) : undefined} role={session?.role ?? 'viewer'} title={title} />
      <main id="main">
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h2>
        <Shown asked={asked}>
          {() =>
            isIn ? (
              <OwnRole.Provider value={session.role}>
                <view.Body key={`${view.id} ${address.subject}`} address={address} session={session} />
              </OwnRole.Provider>
            ) : (
              session && <SignIn session={session} onSession={setGiven} />
            )
          }
        </Shown>
      </main>
    </>
  );
}

interface MenuProps {
  /** The id of the view, or of the one that it belongs to; undefined until somebody is signed in: then the menu is empty. */
  readonly current: string | undefined;
  readonly role: SessionView['role'];
  readonly title: string;
}
function Menu({ current, role, title }: MenuProps) {
  const [open, setOpen] = useState(false);
  if (current === undefined) return <div class="panels" />;
  return (
    <nav class="panels" aria-label={say('views')}>
      <button type="button" class="menu" aria-expanded={open} aria-controls="views" onClick={() => setOpen(!open)}>
        <span dir="auto">{title}</span>
        <span aria-hidden="true">{open ? '▴' : '▾'}</span>
        <span class="unseen">{say('chooseAnother')}</span>
      </button>
      <ul id="views" class={open ? 'open' : ''}>
        {VIEWS.filter(({ under, role: least = 'viewer' }) => under === undefined && isEnough(role, least)).map(
          ({ id, title: name }) => (
            <li key={id}>
              <a href={linkTo(id)} aria-current={id === current ? 'page' : undefined} onClick={() => setOpen(false)}>
                {name('')}
              </a>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}

document.body.replaceChildren();
render(<App />, document.body);
