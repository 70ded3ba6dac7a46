/** The page of the setup portal: one document without other files, for the browser that a phone opens by itself. */
import { createHash } from 'node:crypto';
import type { SeenNetwork } from '../../bindings/bindings.ts';
import { Reply } from '../../kernel/reply.ts';

interface PortalPage {
  /** Name of the node. */
  readonly node: string;
  /** URL of its page under its host name, for when it has left this network. */
  readonly hostUrl: string;
  /** Networks in range, strongest first. */
  readonly networks: readonly SeenNetwork[];
  /** The network that could not be joined, and why, for people. */
  readonly trouble: { readonly ssid: string; readonly reason: string } | undefined;
}

/** Longest list of networks. */
const LISTED = 12;

const STYLE = `:root{color-scheme:light dark;font:17px/1.4 system-ui,sans-serif}
body{margin:0 auto;padding:1rem;max-width:26rem}
h1{font-size:1.4rem}
label{display:block;margin:1rem 0 .3rem}
input:not([type=checkbox]),button{font:inherit;width:100%;box-sizing:border-box;padding:.7rem;border-radius:.5rem;border:1px solid GrayText;background:Canvas;color:CanvasText}
ul{list-style:none;margin:0;padding:0}
li button{text-align:left;margin-bottom:.3rem;display:flex;justify-content:space-between;gap:1rem}
li span:first-child{overflow-wrap:anywhere}
li span+span{color:GrayText;white-space:nowrap}
form>button{margin-top:1.2rem;background:#0a5ad6;border-color:#0a5ad6;color:#fff;font-weight:600}
button:disabled{opacity:.5}
.trouble,output:not(:empty){display:block;margin-top:1rem;padding:.7rem;border-radius:.5rem;border:2px solid #c60;overflow-wrap:anywhere}
output.good{border-color:#080}
a{color:LinkText}`;

const SCRIPT = `const form=document.forms[0],out=document.querySelector('output'),send=form.elements.send;
const field=n=>form.elements[n];
const say=(text,good)=>{out.textContent=text;out.className=good?'good':''};
const words={custody_hold:'Hold the button on the box for about 5 seconds, then connect again.',
save_failed:'The node could not store it. Try again.'};
document.querySelector('ul').addEventListener('click',e=>{const b=e.target.closest('button');if(!b)return;
field('ssid').value=b.dataset.ssid;field('password').focus()});
field('show').addEventListener('change',e=>{field('password').type=e.target.checked?'text':'password'});
form.addEventListener('submit',async e=>{e.preventDefault();const ssid=field('ssid').value;send.disabled=true;say('Storing\\u2026');
try{const r=await fetch('/provision',{method:'POST',body:JSON.stringify({ssid,password:field('password').value})});
const a=await r.json();
if(a.ok)return say('Stored. The node leaves this network now and joins \\u201c'+ssid+'\\u201d: go there too and open '+form.dataset.host+', or the address that it prints. If that does not work, this network is back in about 3 minutes.',true);
say(a.error==='invalid_provision'&&a.detail||words[a.error]||a.detail||a.error)}catch{say('No answer. Is this phone still in the network of the node?')}
send.disabled=false});`;

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

const item = ({ ssid, security, signal }: SeenNetwork): string =>
  `<li><button type="button" data-ssid="${html(ssid)}"><span>${html(ssid)}</span><span>${security === 'open' ? 'open, ' : ''}${Math.round(signal)} %</span></button>`;

/** Each name once: a network on both bands is one entry. */
function listed(networks: readonly SeenNetwork[]): readonly SeenNetwork[] {
  const names = new Set<string>();
  return networks.filter(({ ssid }) => !names.has(ssid) && names.add(ssid)).slice(0, LISTED);
}

/** The response with the page. */
export function portalPage({ node, hostUrl, networks, trouble }: PortalPage): Reply {
  const body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Connect ${html(node)}</title>
<style>${STYLE}</style>
<h1>Connect ${html(node)} to Wi-Fi</h1>
${trouble === undefined ? '' : `<p class="trouble">“${html(trouble.ssid)}” did not work: ${html(trouble.reason)}.</p>`}
<ul>${listed(networks).map(item).join('\n')}</ul>
<p><a href="/">Look again</a></p>
<form autocomplete="off" data-host="${html(hostUrl)}">
<label for="ssid">Network</label>
<input id="ssid" name="ssid" required maxlength="32" autocapitalize="none" autocorrect="off" spellcheck="false" value="${html(trouble?.ssid ?? '')}">
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="64" autocapitalize="none" autocorrect="off" spellcheck="false">
<label><input name="show" type="checkbox"> Show the password</label>
<button name="send">Connect</button>
</form>
<output></output>
<noscript><p class="trouble">This page needs JavaScript.</p></noscript>
<script>${SCRIPT}</script>
</html>
`;
  return new Reply(200, body, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy() });
}
