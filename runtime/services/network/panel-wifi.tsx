/** The form that joins a Wi-Fi network: chosen from those in range, or typed. */
import { useState } from 'preact/hooks';
import { shownSsid } from '../../bindings/ssid.ts';
import { Button, CheckField, Form, type PageNode, SelectField, speech, TextField } from '../../page/kit.ts';
import type { NearbyNetworks, NetworkView, WifiBody } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

/** A network on both bands is one to choose. */
const byName = ({ networks }: NearbyNetworks) =>
  networks.filter(({ ssid }, at) => networks.findIndex((each) => each.ssid === ssid) === at);

/** The form; `bands` are those of the radio. */
export function Wifi({ node, bands, mode }: Pick<NetworkView, 'bands' | 'mode'> & { node: PageNode }) {
  const [{ ssid, password, band = 'auto' }, set] = useState<WifiBody>({ ssid: '', password: '' });
  const [isShown, show] = useState(false);
  const [seen, setSeen] = useState<ReturnType<typeof byName>>();
  const look = async () => {
    const found = byName(await node.client.nearbyNetworks());
    setSeen(found);
    return found.length === 0 ? say('noneInRange') : undefined;
  };
  const save = async () => {
    await node.client.setWifi({ ssid, password, band });
    return say(mode === 'ethernet' ? 'staysOnCable' : 'leaves', { ssid });
  };
  return (
    <>
      <Button onPress={look}>{say('look')}</Button>
      {seen && seen.length > 0 && (
        <ul class="choices" aria-label={say('inRange')}>
          {seen.map((each) => (
            <li key={each.ssid}>
              <button
                type="button"
                aria-pressed={ssid === shownSsid(each.ssid)}
                onClick={() => set({ ssid: shownSsid(each.ssid), password: '', band })}
              >
                <bdi>{shownSsid(each.ssid)}</bdi>{' '}
                <span class="quiet">
                  {/^(open|owe)$/.test(each.security) ? `${say('openNetwork')}, ` : ''}
                  {each.signal} %
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Form submit={say('connect')} onSubmit={save}>
        <TextField
          label={say('title')}
          required
          maxLength={128}
          value={ssid}
          onValue={(value) => set({ ssid: value, password, band })}
        />
        <TextField
          label={say('password')}
          hint={say('passwordHint')}
          type={isShown ? 'text' : 'password'}
          maxLength={128}
          value={password}
          onValue={(value) => set({ ssid, password: value, band })}
        />
        <CheckField label={say('showPassword')} value={isShown} onValue={show} />
        <SelectField
          label={say('band')}
          value={band}
          options={[['auto', say('anyBand')], ...bands.map((each) => [each, say('ghz', { n: each })] as const)]}
          onValue={(value) => set({ ssid, password, band: value as NonNullable<WifiBody['band']> })}
        />
      </Form>
    </>
  );
}
