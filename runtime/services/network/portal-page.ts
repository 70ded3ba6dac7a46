/** The page of the setup portal: one document without other files, for the browser that a phone opens by itself. */
import { createHash } from 'node:crypto';
import { directionOf, filled, LANGUAGES, type Language } from '../../base/language.ts';
import type { SeenNetwork } from '../../bindings/network.ts';
import { isText, shownSsid } from '../../bindings/ssid.ts';
import { Reply } from '../../kernel/reply.ts';
import { type SetupTrouble, troubleWords } from './reason.ts';
import { words } from './words/portal/index.ts';

type Words = (typeof words)[Language];

interface PortalPage {
  readonly language: Language;
  /** Name of the node. */
  readonly node: string;
  /** URL of this page. */
  readonly url: string;
  /** URL of its page under its host name, for when it has left this network. */
  readonly hostUrl: string;
  /** Networks in range, strongest first. */
  readonly networks: readonly SeenNetwork[];
  /** The network that could not be joined, and why. */
  readonly trouble: SetupTrouble | undefined;
  /** The fixed address that is stored. */
  readonly fixed: string | undefined;
  /** Why the fixed address is not in use, as a sentence. */
  readonly fault: string | undefined;
}

/** Longest list of networks. */
const LISTED = 12;

const STYLE = `:root{color-scheme:light dark;font:17px/1.4 system-ui,sans-serif}
body{margin:0 auto;padding:1rem;max-width:26rem}
h1{font-size:1.4rem}
label{display:block;margin:1rem 0 .3rem}
input:not([type=checkbox]),button{font:inherit;width:100%;box-sizing:border-box;padding:.7rem;border-radius:.5rem;border:1px solid GrayText;background:Canvas;color:CanvasText}
ul{list-style:none;margin:0;padding:0}
li button{text-align:start;margin-bottom:.3rem;display:flex;justify-content:space-between;gap:1rem}
li span:first-child{overflow-wrap:anywhere}
li span+span{color:GrayText;white-space:nowrap}
form>button{margin-top:1.2rem;background:#0a5ad6;border-color:#0a5ad6;color:#fff;font-weight:600}
button:disabled{opacity:.5}
.trouble,output:not(:empty){display:block;margin-top:1rem;padding:.7rem;border-radius:.5rem;border:2px solid #c60;overflow-wrap:anywhere}
output.good{border-color:#080}
a{color:LinkText}`;

/** A name that is not UTF-8 is shown as text, and sent as what it is. */
const SCRIPT = `const form=document.forms[0],out=document.querySelector('output'),send=form.elements.send;
const field=n=>form.elements[n],words=JSON.parse(form.dataset.words),names={};
const say=(text,good)=>{out.textContent=text;out.className=good?'good':''};
const ask=async(method,path,body)=>{try{const r=await fetch(path,{method,body,headers:{'Accept-Language':document.documentElement.lang}});
const a=await r.json();if(a.ok)return true;
say(a.error==='invalid_provision'&&a.detail||words[a.error]||a.detail||a.error)}catch{say(words.noAnswer)}return false};
document.querySelector('ul').addEventListener('click',e=>{const b=e.target.closest('button');if(!b)return;
const {ssid,name}=b.dataset;names[ssid]=name&&JSON.parse(name);field('ssid').value=ssid;field('password').focus()});
field('show').addEventListener('change',e=>{field('password').type=e.target.checked?'text':'password'});
form.addEventListener('submit',async e=>{e.preventDefault();const ssid=field('ssid').value;send.disabled=true;say(words.storing);
const body=JSON.stringify({ssid:names[ssid]||ssid,password:field('password').value});
if(await ask('POST','/provision',body))return say(words.stored.replace('{ssid}',()=>ssid),true);
send.disabled=false});
const dhcp=field('dhcp');if(dhcp)dhcp.addEventListener('click',async()=>{if(await ask('PUT','/network/ipv4','{}')){say(words.dhcpStored,true);dhcp.disabled=true}});`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Permits only the style and script above, and requests to this node (Content Security Policy Level 3). */
const policy = (): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(SCRIPT)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML: network names come from other people's devices. */
const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function item({ ssid, security, signal }: SeenNetwork, { open }: Words): string {
  const shown = html(shownSsid(ssid));
  const name = isText(ssid) ? '' : ` data-name="${html(JSON.stringify(ssid))}"`;
  const kind = security === 'open' || security === 'owe' ? `${open}, ` : '';
  return `<li><button type="button" data-ssid="${shown}"${name}><span>${shown}</span><span>${kind}${Math.round(signal)} %</span></button>`;
}

/** Each name once: a network on both bands is one entry. */
function listed(networks: readonly SeenNetwork[]): readonly SeenNetwork[] {
  const names = new Set<string>();
  return networks.filter(({ ssid }) => !names.has(ssid) && names.add(ssid)).slice(0, LISTED);
}

/** What the script says. */
const spoken = (said: Words, hostUrl: string): string =>
  JSON.stringify({
    storing: said.storing,
    stored: said.stored.replace('{host}', hostUrl),
    noAnswer: said.noAnswer,
    custody_hold: said.custody_hold,
    save_failed: said.save_failed,
    dhcpStored: said.dhcpStored,
    api_locked: said.api_locked,
  });

/** The response with the page. */
export function portalPage(about: PortalPage): Reply {
  const { language, node, url, hostUrl, networks, trouble, fixed, fault } = about;
  const said = words[language];
  const heading = html(filled(said.heading, { node }));
  const others = Object.entries(LANGUAGES).filter(([code]) => code !== language);
  const body = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${heading}</title>
<style>${STYLE}</style>
<h1>${heading}</h1>
${trouble === undefined ? '' : `<p class="trouble">${html(troubleWords(trouble, language))}</p>`}
<ul>${listed(networks)
    .map((each) => item(each, said))
    .join('\n')}</ul>
<p><a href="/?language=${language}">${html(said.again)}</a></p>
<form autocomplete="off" data-words="${html(spoken(said, hostUrl))}">
<label for="ssid">${html(said.network)}</label>
<input id="ssid" name="ssid" required maxlength="128" autocapitalize="none" autocorrect="off" spellcheck="false" value="${html(trouble === undefined ? '' : shownSsid(trouble.ssid))}">
<label for="password">${html(said.password)}</label>
<input id="password" name="password" type="password" maxlength="128" autocapitalize="none" autocorrect="off" spellcheck="false">
<label><input name="show" type="checkbox"> ${html(said.show)}</label>
<button name="send">${html(said.connect)}</button>
${fixed === undefined ? '' : `<p>${html(fault ?? filled(said.fixed, { address: fixed }))}</p>\n<button name="dhcp" type="button">${html(said.useDhcp)}</button>`}
</form>
<output></output>
<p>${html(filled(said.stay, { url }))}</p>
<p>${others.map(([code, name]) => `<a href="/?language=${code}" lang="${code}">${name}</a>`).join(' ')}</p>
<noscript><p class="trouble">${html(said.noScript)}</p></noscript>
<script>${SCRIPT}</script>
</html>
`;
  return new Reply(200, body, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy() });
}
