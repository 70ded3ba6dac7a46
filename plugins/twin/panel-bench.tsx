/** The bench: what a hand does at the counter, done to the twin's virtual devices. */
import { useState } from 'preact/hooks';
import type { TwinScale as ScaleChange, TwinScan as Scan, TwinPrinterState } from '../../runtime/client/client.ts';
import {
  Button,
  Card,
  CheckField,
  Form,
  type PageNode,
  Said,
  SelectField,
  TextField,
  useAction,
  useLoaded,
} from '../../runtime/exports/panel.ts';
import { TwinScale, TwinScan } from './contract.ts';

interface BenchProps {
  readonly node: PageNode;
}

const PAPER: ReadonlyArray<readonly [TwinPrinterState['paper'], string]> = [
  ['ok', 'in'],
  ['low', 'low'],
  ['out', 'out'],
];
/** A printer that can be watched printing. */
const SLOW_BYTES = 500;

export function PrinterBenchCard({ node }: BenchProps) {
  // Changing nothing tells how it is.
  const { data, fault, reload } = useLoaded(() => node.client.twin.printer({}));
  const { answer, run } = useAction(data && JSON.stringify(data));
  /** Shown until the twin has told. */
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
  if (data === undefined) return <Card title="Printer on the bench">{fault && <p class="bad">{fault}</p>}</Card>;
  const { cover, paper, drawer, silent, slow, attached } = { ...data, ...wanted };
  return (
    <Card title="Printer on the bench">
      <CheckField
        label="Plugged in"
        value={attached}
        onValue={(on) => set({ attached: on }, on ? 'The printer was plugged in.' : 'The plug was pulled.')}
      />
      <CheckField
        label="Cover open"
        value={cover === 'open'}
        onValue={(on) => set({ cover: on ? 'open' : 'closed' }, on ? 'The cover is open.' : 'The cover is closed.')}
      />
      <SelectField
        label="Paper"
        value={paper}
        options={PAPER}
        onValue={(chosen) => set({ paper: chosen as TwinPrinterState['paper'] }, 'The paper was changed.')}
      />
      <CheckField
        label="Drawer open"
        value={drawer === 'open'}
        onValue={(on) => set({ drawer: on ? 'open' : 'closed' }, on ? 'The drawer is open.' : 'The drawer is shut.')}
      />
      <CheckField
        label="Silent"
        hint="answers no status request"
        value={silent}
        onValue={(on) => set({ silent: on }, on ? 'The printer says nothing more.' : 'The printer answers again.')}
      />
      <CheckField
        label="Slow"
        hint={`${slow || SLOW_BYTES} bytes a second`}
        value={slow > 0}
        onValue={(on) =>
          set({ slow: on ? SLOW_BYTES : 0 }, on ? 'The printer is slow.' : 'The printer is at full speed.')
        }
      />
      <Said answer={answer} />
    </Card>
  );
}

const namesOf = (schema: { readonly anyOf: ReadonlyArray<{ readonly const: string }> }) =>
  schema.anyOf.map((choice) => choice.const);

export function ScanCard({ node }: BenchProps) {
  const [value, setValue] = useState('4006381333931');
  const [symbology, setSymbology] = useState('');
  const scan = async () => {
    await node.client.twin.scan({
      value,
      ...(symbology !== '' && { symbology: symbology as NonNullable<Scan['symbology']> }),
    });
    return 'Scanned.';
  };
  return (
    <Card title="Scan">
      <Form submit="Hold it under the scanner" onSubmit={scan}>
        <TextField label="Value" required value={value} onValue={setValue} />
        <SelectField
          label="Symbology"
          value={symbology}
          options={[
            ['', 'as the scanner takes it'],
            ...namesOf(TwinScan.properties.symbology).map((name) => [name, name] as const),
          ]}
          onValue={setSymbology}
        />
      </Form>
    </Card>
  );
}

export function ScaleBenchCard({ node }: BenchProps) {
  const [grams, setGrams] = useState('250');
  const [status, setStatus] = useState('reading');
  const change = async (body: ScaleChange, words: string) => {
    await node.client.twin.scale(body);
    await node.refresh();
    return words;
  };
  return (
    <Card title="Scale on the bench">
      <Form
        submit="Put it on the scale"
        onSubmit={() =>
          change(
            { grams: Number(grams), status: status as NonNullable<ScaleChange['status']> },
            'It lies on the scale.',
          )
        }
      >
        <TextField
          label="Grams"
          type="number"
          required
          step="any"
          min={TwinScale.properties.grams.minimum}
          max={TwinScale.properties.grams.maximum}
          value={grams}
          onValue={setGrams}
        />
        <SelectField
          label="The scale is"
          value={status}
          options={namesOf(TwinScale.properties.status).map((name) => [name, name.replaceAll('_', ' ')] as const)}
          onValue={setStatus}
        />
      </Form>
      <div class="row">
        <Button onPress={() => change({ attached: true }, 'The scale was plugged in.')}>Plug the scale in</Button>
        <Button onPress={() => change({ attached: false }, 'The plug was pulled.')}>Pull its plug</Button>
      </div>
    </Card>
  );
}

const USB_ID = '[0-9a-f]{4}';
const FORGET_MS = 5000;
const CLEAR_MS = 15_000;

export function ButtonCard({ node }: BenchProps) {
  const hold = async (holdMs: number) => {
    await node.client.twin.button({ name: 'b', holdMs });
    return `The button was held for ${holdMs / 1000} s.`;
  };
  return (
    <Card title="The button">
      <div class="row">
        <Button confirm="Forget the Wi-Fi?" onPress={() => hold(FORGET_MS)}>
          Hold it for 5 s: forgets the Wi-Fi
        </Button>
        <Button confirm="Clear both keys and restart?" kind="danger" onPress={() => hold(CLEAR_MS)}>
          Hold it for 15 s: clears the keys
        </Button>
      </div>
    </Card>
  );
}

export function AttachCard({ node }: BenchProps) {
  const [vendorId, setVendorId] = useState('1209');
  const [productId, setProductId] = useState('0001');
  const [model, setModel] = useState('Something new');
  const plug = async (attached: boolean) => {
    await node.client.twin.attach({ vendorId, productId, model, attached });
    await node.refresh();
    return attached ? 'It was plugged in.' : 'It was taken out.';
  };
  return (
    <Card title="Another device">
      <p class="quiet">Ids of a device of the twin plug that one in again; other ids make one that nobody knows.</p>
      <Form submit="Plug it in" onSubmit={() => plug(true)}>
        <TextField label="Vendor id" required pattern={USB_ID} value={vendorId} onValue={setVendorId} />
        <TextField label="Product id" required pattern={USB_ID} value={productId} onValue={setProductId} />
        <TextField label="Model" maxLength={126} value={model} onValue={setModel} />
      </Form>
      <Button onPress={() => plug(false)}>Take it out</Button>
    </Card>
  );
}
