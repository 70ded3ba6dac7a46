/** Cards of the bench: each changes one virtual device as a hand does at the counter. */
import { useState } from 'preact/hooks';
import {
  Button,
  Card,
  CheckField,
  Form,
  type PageNode,
  Said,
  SelectField,
  speech,
  TextField,
  useAction,
  useLoaded,
} from '../../runtime/page/kit.ts';
import type { TwinScale as ScaleChange, TwinScan as Scan, TwinPrinterState } from './client.ts';
import { TwinScale, TwinScan } from './contract.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

interface BenchProps {
  readonly node: PageNode;
}

const PAPER: ReadonlyArray<readonly [TwinPrinterState['paper'], string]> = [
  ['ok', say('paperOk')],
  ['low', say('paperLow')],
  ['out', say('paperOut')],
];
/** Bytes a second of a slow printer, which can be watched printing. */
const SLOW_BYTES = 500;

/** The printer: cover, paper, drawer, speed, plug. */
export function PrinterBenchCard({ node }: BenchProps) {
  // A change without fields only gives the state.
  const { data, fault, reload } = useLoaded(() => node.client.twin.printer({}));
  const { answer, run } = useAction(data && JSON.stringify(data));
  /** The wanted state, shown until the twin has answered. */
  const [wanted, setWanted] = useState<Partial<TwinPrinterState>>({});
  const set = (change: Partial<TwinPrinterState>, words: string) =>
    void run(async () => {
      setWanted(change);
      try {
        await node.client.twin.printer(change);
        await Promise.all([reload(), node.refresh()]);
        return words;
      } finally {
        setWanted({});
      }
    });
  if (data === undefined) return <Card title={say('printerBench')}>{fault && <p class="bad">{fault}</p>}</Card>;
  const { cover, paper, drawer, silent, slow, attached } = { ...data, ...wanted };
  return (
    <Card title={say('printerBench')}>
      <CheckField
        label={say('pluggedIn')}
        value={attached}
        onValue={(on) => set({ attached: on }, on ? say('wasPlugged') : say('plugPulled'))}
      />
      <CheckField
        label={say('coverOpen')}
        value={cover === 'open'}
        onValue={(on) => set({ cover: on ? 'open' : 'closed' }, on ? say('coverIsOpen') : say('coverIsClosed'))}
      />
      <SelectField
        label={say('paper')}
        value={paper}
        options={PAPER}
        onValue={(chosen) => set({ paper: chosen as TwinPrinterState['paper'] }, say('paperChanged'))}
      />
      <CheckField
        label={say('drawerOpen')}
        value={drawer === 'open'}
        onValue={(on) => set({ drawer: on ? 'open' : 'closed' }, on ? say('drawerIsOpen') : say('drawerIsShut'))}
      />
      <CheckField
        label={say('silent')}
        hint={say('silentHint')}
        value={silent}
        onValue={(on) => set({ silent: on }, on ? say('saysNothing') : say('answersAgain'))}
      />
      <CheckField
        label={say('slow')}
        hint={say('slowHint', { n: slow || SLOW_BYTES })}
        value={slow > 0}
        onValue={(on) => set({ slow: on ? SLOW_BYTES : 0 }, on ? say('isSlow') : say('fullSpeed'))}
      />
      <Said answer={answer} />
    </Card>
  );
}

const namesOf = <Name extends string>(schema: { readonly anyOf: ReadonlyArray<{ readonly const: Name }> }) =>
  schema.anyOf.map((choice) => choice.const);

/** Scans a value. */
export function ScanCard({ node }: BenchProps) {
  const [value, setValue] = useState('4006381333931');
  const [symbology, setSymbology] = useState('');
  const scan = async () => {
    await node.client.twin.scan({
      value,
      ...(symbology !== '' && { symbology: symbology as NonNullable<Scan['symbology']> }),
    });
    return say('scanned');
  };
  return (
    <Card title={say('scan')}>
      <Form submit={say('hold')} onSubmit={scan}>
        <TextField label={say('value')} required value={value} onValue={setValue} />
        <SelectField
          label={say('symbology')}
          value={symbology}
          options={[
            ['', say('asTaken')],
            ...namesOf(TwinScan.properties.symbology).map(
              (name) => [name, name === 'other' ? say('otherSymbology') : name] as const,
            ),
          ]}
          onValue={setSymbology}
        />
      </Form>
    </Card>
  );
}

/** The scale: load in grams, status, plug. */
export function ScaleBenchCard({ node }: BenchProps) {
  const [grams, setGrams] = useState('250');
  const [status, setStatus] = useState('reading');
  const change = async (body: ScaleChange, words: string) => {
    await node.client.twin.scale(body);
    await node.refresh();
    return words;
  };
  return (
    <Card title={say('scaleBench')}>
      <Form
        submit={say('putOn')}
        onSubmit={() =>
          change({ grams: Number(grams), status: status as NonNullable<ScaleChange['status']> }, say('lies'))
        }
      >
        <TextField
          label={say('grams')}
          type="number"
          required
          step="any"
          min={TwinScale.properties.grams.minimum}
          max={TwinScale.properties.grams.maximum}
          value={grams}
          onValue={setGrams}
        />
        <SelectField
          label={say('scaleIs')}
          value={status}
          options={namesOf(TwinScale.properties.status).map((name) => [name, say(name)] as const)}
          onValue={setStatus}
        />
      </Form>
      <div class="row">
        <Button onPress={() => change({ attached: true }, say('scalePlugged'))}>{say('plugScale')}</Button>
        <Button onPress={() => change({ attached: false }, say('plugPulled'))}>{say('pullScale')}</Button>
      </div>
    </Card>
  );
}

const USB_ID = '[0-9a-f]{4}';
const FORGET_MS = 5000;
const CLEAR_MS = 15_000;

/** The button of the box: one control for each time that it can be held (5 s, 15 s), which asks before it does so. */
export function ButtonCard({ node }: BenchProps) {
  const hold = async (holdMs: number) => {
    await node.client.twin.button({ name: 'b', holdMs });
    return say('held', { n: holdMs / 1000 });
  };
  return (
    <Card title={say('button')}>
      <div class="row">
        <Button confirm={say('forgetAsk')} onPress={() => hold(FORGET_MS)}>
          {say('hold5')}
        </Button>
        <Button confirm={say('clearAsk')} kind="danger" onPress={() => hold(CLEAR_MS)}>
          {say('hold15')}
        </Button>
      </div>
    </Card>
  );
}

/** Plugs in a device with any ids. */
export function AttachCard({ node }: BenchProps) {
  const [vendorId, setVendorId] = useState('1209');
  const [productId, setProductId] = useState('0001');
  const [model, setModel] = useState(say('somethingNew'));
  const plug = async (attached: boolean) => {
    await node.client.twin.attach({ vendorId, productId, model, attached });
    await node.refresh();
    return attached ? say('itPlugged') : say('itOut');
  };
  return (
    <Card title={say('another')}>
      <p class="quiet">{say('anotherHint')}</p>
      <Form submit={say('plugIt')} onSubmit={() => plug(true)}>
        <TextField label={say('vendorId')} required pattern={USB_ID} value={vendorId} onValue={setVendorId} />
        <TextField label={say('productId')} required pattern={USB_ID} value={productId} onValue={setProductId} />
        <TextField label={say('model')} maxLength={126} value={model} onValue={setModel} />
      </Form>
      <Button onPress={() => plug(false)}>{say('takeOut')}</Button>
    </Card>
  );
}
