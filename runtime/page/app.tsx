/** The operator page: header, what the rooms have to say, and the panel that is looked at. */

import panels from 'virtual:panels';
import { Component, type ComponentChildren, render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { NodeClient } from '../client/client.ts';
import { Header } from './header.tsx';
import { linkDevices } from './kit/device.tsx';
import { Missed } from './kit/missed.ts';
import type { PageNode, Panel } from './kit/panel.ts';
import { say } from './kit/say.ts';
import { faultOf, nodeName } from './kit/sentences.ts';
import { linkCodes } from './kit/what-to-do.tsx';
import { overviewOf } from './overview.tsx';
import { NodeStore } from './store.ts';

/** Composing a receipt takes the longest: the cloud has 30 s for it. */
const ANSWER_MS = 45_000;

const rooms = [...panels].sort((a, b) => a.order - b.order || a.title.localeCompare(b.title));
const sorted = [overviewOf(rooms), ...rooms];
const listed = sorted.filter(({ View, href }) => View || href);
const shown = listed.filter(({ View }) => View);
/** The groups of the menu, by the order of their panels. */
const groups = (['counter', 'network', 'box'] as const)
  .map((group, index) => ({ group, panels: listed.filter(({ order }) => groupAt(order) === index) }))
  .filter(({ panels }) => panels.length > 0);
for (const panel of rooms) {
  linkDevices(panel);
  linkCodes(panel);
}
function groupAt(order: number): number {
  return order < 100 ? 0 : order < 150 ? 1 : 2;
}

/** By the fragment up to its first slash; without one, by the path that the page was asked under. */
function current(): Panel | undefined {
  const [named] = (location.hash || location.pathname).slice(1).split('/');
  return shown.find(({ id }) => id === named) ?? shown[0];
}

const store = new NodeStore();
const client = new NodeClient({ url: '', timeoutMs: ANSWER_MS });

function usePageNode(): PageNode {
  const [{ status, config }, set] = useState(store.snapshot);
  useEffect(() => store.watch(() => set(store.snapshot)), []);
  return useMemo(() => {
    const mode = config?.['apiMode'];
    return {
      client,
      status,
      config,
      maySave: mode === 'open',
      mayPrint: mode === 'open' || mode === 'admin',
      on: store.on,
      refresh: store.refresh,
    };
  }, [status, config]);
}

function App() {
  const node = usePageNode();
  const [panel, setPanel] = useState(current);
  const [open, setOpen] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const name = nodeName(node.status);

  useEffect(() => {
    const follow = () => {
      setPanel(current);
      setOpen(false);
      heading.current?.focus();
      scrollTo(0, 0);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    document.title = `${panel?.title ?? ''} · ${name}`;
  }, [panel, name]);

  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        {say('skipTo', { title: panel?.title ?? '' })}
      </button>
      <Header
        name={name}
        status={node.status}
        devices={rooms.flatMap(({ devices }) => devices?.(node) ?? [])}
        snapshot={store.snapshot}
      />
      <nav class="panels" aria-label={say('panels')}>
        <button type="button" class="menu" aria-expanded={open} aria-controls="panels" onClick={() => setOpen(!open)}>
          <span>{panel?.title}</span>
          <span aria-hidden="true">{open ? '▴' : '▾'}</span>
          <span class="unseen">{say('chooseAnother')}</span>
        </button>
        <div id="panels" class={open ? 'open' : ''}>
          {groups.map(({ group, panels }) => (
            <div key={group}>
              <p id={`group-${group}`}>{say(`group_${group}`)}</p>
              <ul aria-labelledby={`group-${group}`}>
                {panels.map(({ id, title, href }) => (
                  <li key={id}>
                    <a
                      href={href ?? `#${id}`}
                      aria-current={id === panel?.id ? 'page' : undefined}
                      onClick={() => setOpen(false)}
                    >
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </nav>
      <main id="main">
        <Missed.Provider value={store.snapshot.missedAt}>
          {sorted.map(({ id, Notice }) => Notice && <Notice key={id} node={node} />)}
          <h2 ref={heading} tabIndex={-1}>
            {panel?.title}
          </h2>
          {panel?.View && (
            <Guard key={panel.id}>
              <panel.View node={node} />
            </Guard>
          )}
        </Missed.Provider>
      </main>
    </>
  );
}

/** A panel that fails takes no other with it. */
class Guard extends Component<{ readonly children: ComponentChildren }, { readonly fault?: unknown }> {
  static override getDerivedStateFromError = (fault: unknown) => ({ fault });
  override render() {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return <p class="answer bad">{say('panelFailed', { fault: faultOf(fault) })}</p>;
  }
}

const look = () => (document.hidden ? store.hide() : store.show());
document.addEventListener('visibilitychange', look);
addEventListener('pagehide', () => store.hide());
addEventListener('pageshow', look);
document.body.replaceChildren();
render(<App />, document.body);
look();
