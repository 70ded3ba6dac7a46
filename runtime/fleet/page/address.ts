/** Where on the page one is: `#view/subject?parameters`, so that links, reloads and the buttons of a browser work. */
import { useEffect, useState } from 'preact/hooks';

type Parameters = Readonly<Record<string, string>>;

export interface Address {
  readonly view: string;
  readonly subject: string;
  readonly parameters: Parameters;
}

/** The address of a view; parameters that are empty are left out. */
export function linkTo(view: string, subject = '', parameters: Parameters = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#${view}${subject === '' ? '' : `/${encodeURIComponent(subject)}`}${query}`;
}

/** What somebody typed may not be a URL at all. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read(): Address {
  const [, view = '', subject = '', query = ''] = /^#([^/?]*)\/?([^?]*)\??(.*)$/.exec(location.hash) ?? [];
  return { view, subject: decoded(subject), parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** Goes to a link without a step in the history: for what changes with each key. */
export function replaceBy(link: string): void {
  history.replaceState(null, '', link);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The address now. */
export function useAddress(): Address {
  const [address, setAddress] = useState(read);
  useEffect(() => {
    const follow = () => setAddress(read());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return address;
}
