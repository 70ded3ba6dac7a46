/** What a shop asks, as the document of the tree has it, in English: what is in it, then a part to open for each question. */
import help from 'virtual:help';
import { type ComponentChildren, createElement, render } from 'preact';
import { useEffect } from 'preact/hooks';
import type { HelpPart } from '../../../page/help.ts';
import { Languages } from '../../../page/languages.tsx';
import { say } from './say.ts';

const shown = (part: HelpPart, at: number): ComponentChildren => {
  if (typeof part === 'string') return part;
  if (part[0] === 'a') {
    const [, section, ...words] = part;
    return (
      <a key={at} href={`#${section}`}>
        {words.map(shown)}
      </a>
    );
  }
  const [tag, ...parts] = part;
  return createElement(tag, { key: at }, parts.map(shown));
};

/** Opens the part that the address names. */
function openNamed(): void {
  const section = document.getElementById(location.hash.slice(1));
  section?.setAttribute('open', '');
  section?.querySelector('summary')?.focus();
  section?.scrollIntoView();
}

function App() {
  useEffect(() => {
    document.title = `${say('title')} · tillnode`;
    openNamed();
    addEventListener('hashchange', openNamed);
    return () => removeEventListener('hashchange', openNamed);
  }, []);
  return (
    <>
      <header class="top">
        <div>
          <h1>tillnode</h1>
          <p>
            <a href="/">{say('back')}</a>
          </p>
        </div>
        <Languages />
      </header>
      <main id="main">
        <h2>{say('title')}</h2>
        <p class="quiet">{say('about')}</p>
        <div lang="en" dir="ltr" translate>
          <section class="card">{help.intro.map(shown)}</section>
          <section class="card">
            {help.sections.map(({ id, title, parts }) => (
              <details key={id} id={id}>
                <summary>{title}</summary>
                {parts.map(shown)}
              </details>
            ))}
          </section>
        </div>
      </main>
    </>
  );
}

document.body.replaceChildren();
render(<App />, document.body);
