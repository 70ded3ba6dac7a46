/** The choice of a language. */
import languages from 'virtual:languages';
import type { Language } from '../base/language.ts';
import { language } from '../base/speech.ts';
import { say } from './kit/say.ts';

/** Keeps the choice that somebody made: the node reads it before it reads what the browser asks for. */
function choose(chosen: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is for secure origins alone.
  document.cookie = `tillnode-language=${chosen};path=/;max-age=31536000;samesite=lax`;
  location.reload();
}

/** Every language by its own name: who does not read this one finds theirs. */
export const Languages = () => (
  <select
    class="languages"
    aria-label={say('language')}
    value={language}
    onChange={({ currentTarget }) => choose(currentTarget.value as Language)}
  >
    {Object.entries(languages).map(([code, name]) => (
      <option key={code} value={code} lang={code}>
        {name}
      </option>
    ))}
  </select>
);
