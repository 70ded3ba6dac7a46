/** What the LED of the box shows as printers and networks come and go. */
import { describe, expect, it, onTestFinished } from 'vitest';
import printerRoom from '../../../plugins/printer/index.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import type { BlinkPhase, LedBinding } from '../../../runtime/bindings/board.ts';
import { RadioError } from '../../../runtime/bindings/network.ts';
import { VirtualRadio } from '../../../runtime/bindings/virtual/radio.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { indicator } from '../../../runtime/services/indicator/index.ts';
import { patternOf } from '../../../runtime/services/indicator/patterns.ts';
import settings from '../../../runtime/services/settings/index.ts';
import status from '../../../runtime/services/status/index.ts';
import { until } from '../../node.ts';

class TestLed implements LedBinding {
  readonly ofMachine = true;
  readonly shown: (readonly BlinkPhase[] | 'released')[] = [];
  async show(phases: readonly BlinkPhase[]): Promise<void> {
    this.shown.push(phases);
  }
  async release(): Promise<void> {
    this.shown.push('released');
  }
}

async function start({ appliance = true, cable = true, againMs = 60_000, radio = new VirtualRadio() } = {}) {
  const led = new TestLed();
  const printer = new VirtualPrinter();
  radio.cable = cable;
  const node = await startTestNode({
    plugins: [status, settings, printerRoom, indicator(againMs)],
    run: { appliance },
    devices: { printer: () => printer },
    bindings: () => ({ radio, led }),
  });
  onTestFinished(() => node.stop());
  const shows = (pattern: readonly BlinkPhase[]) => until(() => led.shown.at(-1) === pattern || same(led, pattern));
  return { node, led, printer, radio, shows };
}
const same = ({ shown }: TestLed, pattern: readonly BlinkPhase[]) =>
  JSON.stringify(shown.at(-1)) === JSON.stringify(pattern);

const WELL = patternOf({ troubles: [], setup: false });

describe('the LED of the box', () => {
  it('is lit with a network and a printer', async () => {
    const { shows } = await start();
    await shows(WELL);
    expect(WELL.map(({ lit }) => lit)).toEqual([true]);
  });

  it('flashes once without a printer, and is lit again with one', async () => {
    const { node, printer, shows } = await start();
    await shows(WELL);
    node.bench.usb.unplug(printer);
    await shows(patternOf({ troubles: ['no_printer'], setup: false }));
    node.bench.usb.plug(printer);
    await shows(WELL);
  });

  it('flashes twice without a network, and three times without a radio', async () => {
    const { radio, shows } = await start();
    await shows(WELL);
    radio.cable = false;
    await shows(patternOf({ troubles: ['no_link'], setup: false }));
    radio.fault = new RadioError('no_radio');
    radio.cable = true;
    await shows(WELL);
    radio.cable = false;
    await shows(patternOf({ troubles: ['no_radio'], setup: false }));
  });

  it('is slow and even while the setup network is open', async () => {
    const { radio, shows } = await start({ cable: false });
    await radio.openSetup({ ssid: 'tillnode-00000000', password: 'correct horse' });
    await shows(patternOf({ troubles: [], setup: true }));
  });

  it('finds out by itself about what nobody tells', async () => {
    const radio = new VirtualRadio();
    radio.fault = new RadioError('unmanaged');
    const { shows } = await start({ cable: false, againMs: 5, radio });
    await shows(patternOf({ troubles: ['no_radio'], setup: false }));
    radio.fault = undefined;
    await shows(patternOf({ troubles: ['no_link'], setup: false }));
  });

  it('takes a network manager that does not answer for no network', async () => {
    const radio = new VirtualRadio();
    radio.read = () => Promise.reject(new Error('no answer'));
    const { shows } = await start({ radio });
    await shows(patternOf({ troubles: ['no_link'], setup: false }));
  });

  it('is left to the operating system when the node stops', async () => {
    const { node, led, shows } = await start();
    await shows(WELL);
    await node.stop();
    expect(led.shown.at(-1)).toBe('released');
  });

  it('is not touched by a node that does not own its machine', async () => {
    const { node, led } = await start({ appliance: false });
    await node.stop();
    expect(led.shown).toEqual([]);
  });
});

describe('the pattern of an LED', () => {
  const lit = (phases: readonly BlinkPhase[]) => phases.filter((phase) => phase.lit).length;
  const pauses = (phases: readonly BlinkPhase[]) => phases.filter((phase) => !phase.lit && phase.ms > 1000).length;

  it('counts what is wrong in flashes', () => {
    const counted = (['no_printer', 'no_link', 'no_radio'] as const).map((trouble) =>
      lit(patternOf({ troubles: [trouble], setup: false })),
    );
    expect(counted).toEqual([1, 2, 3]);
  });

  it('says one trouble after the other, with a pause behind each', () => {
    const pattern = patternOf({ troubles: ['no_printer', 'no_radio'], setup: false });
    expect([lit(pattern), pauses(pattern)]).toEqual([4, 2]);
  });

  it('says a trouble also while setup is open', () => {
    expect(patternOf({ troubles: ['no_printer'], setup: true })).toEqual(
      patternOf({ troubles: ['no_printer'], setup: false }),
    );
  });
});
