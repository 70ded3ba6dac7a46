/** Binds a USB printer: chooses the interface, the printer language and the recipe (USB printer class 1.1). */
import { escpos, resolveOptions } from '../../codecs/escpos.ts';
import { type DeviceId, languageOf, parseDeviceId } from '../../codecs/ieee1284.ts';
import refused from '../../recipes/refused.json' with { type: 'json' };
import { type UsbDevice, UsbError, type UsbIdentity, type UsbInterface } from '../../runtime/bindings/usb.ts';
import { answered } from '../../runtime/bindings/usb-transfers.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/device.ts';
import type { Recipes } from '../../runtime/kernel/node.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import { Printer, type PrinterParts } from './jobs/printer.ts';
import { portStatusOf } from './jobs/status.ts';
import { answersAsEscpos } from './language-probe.ts';

/** bInterfaceClass of printers, and of interfaces that only their maker defines. */
export const PRINTER_CLASS = 0x07;
export const VENDOR_CLASS = 0xff;
/** bInterfaceProtocol: 2 bidirectional, 1 unidirectional, 3 IEEE 1284.4; the order usblp prefers them in. */
const PROTOCOLS = [2, 1, 3];
const REQUEST_MS = 2000;
const REFUSED = { reason: 'unsupported_language' } as const;

/**
 * `printer` where a descriptor has an interface of the printer class, or a recipe row names this product. A row for the
 * vendor alone is not enough: other devices of the vendor, such as scanners, have vendor-class interfaces, too.
 */
export function classify({ interfaces }: UsbIdentity, recipe: Resolution | undefined): 'printer' | undefined {
  if (interfaces.some((candidate) => candidate.class === PRINTER_CLASS && candidate.subclass === 1)) return 'printer';
  const row = recipe?.row;
  if (row?.kind !== 'printer' || !interfaces.some(({ class: code }) => code === VENDOR_CLASS)) return undefined;
  const named = row.options['vendorClass'] === true || (row.refuse !== undefined && row.productId !== '*');
  return named ? 'printer' : undefined;
}

/**
 * Opens the device, claims its printer interface, reads its device id, and decides on a recipe. Gives the bound printer, or
 * the refusal: another language than ESC/POS, or no usable pipe. Rejects with a UsbError of the transfer that failed.
 */
export async function bind(
  { device, recipe: byIds }: Candidate,
  recipes: Recipes,
  room: Pick<PrinterParts, 'pace' | 'memory' | 'endpoint' | 'onChange' | 'onRelease'>,
): Promise<Printer | Refusal> {
  const usable = chooseInterface(device.identity);
  if (usable === undefined) return { reason: 'bad_descriptor', detail: 'no printer interface with a bulk OUT pipe' };
  await device.open();
  let printer: Printer | undefined;
  try {
    await device.claim(usable.number, usable.alternate);
    const id = await readDeviceId(device, usable);
    const known = decide(device.identity, id, byIds, recipes);
    // A row for everything of a maker knows less than the printer itself.
    const decision =
      'family' in known && (await answersAsEscpos(device, usable.pipes))
        ? decide(device.identity, id, byIds, recipes, true)
        : known;
    if ('reason' in decision) {
      await device.close();
      return decision;
    }
    const options = resolveOptions(decision.row.options);
    const bulkIn = usable.pipes.find(({ type, direction }) => type === 'bulk' && direction === 'in');
    const out = usable.pipes.find(({ type, direction }) => type === 'bulk' && direction === 'out');
    if (out === undefined) throw new UsbError('io', 0, 'no bulk OUT pipe');
    printer = new Printer({
      device,
      interface: usable.number,
      out,
      in: options.unidirectional ? undefined : bulkIn,
      recipe: decision,
      options,
      languages: id?.commandSets ?? [],
      askPort: usable.class === PRINTER_CLASS ? portStatusOf(device, usable.number) : undefined,
      ...room,
    });
    await printer.reset();
    return printer;
  } catch (error) {
    await printer?.release();
    await device.close();
    throw error;
  }
}

function chooseInterface({ interfaces }: UsbIdentity): UsbInterface | undefined {
  const usable = interfaces.filter(({ pipes }) =>
    pipes.some(({ type, direction }) => type === 'bulk' && direction === 'out'),
  );
  for (const wanted of PROTOCOLS) {
    const found = usable.find(({ class: code, protocol }) => code === PRINTER_CLASS && protocol === wanted);
    if (found !== undefined) return found;
  }
  return usable.find(({ class: code }) => code === VENDOR_CLASS);
}

/** GET_DEVICE_ID (USB printer class 1.1, 4.2.1). Undefined where the printer stalls the request or does not answer. */
async function readDeviceId(
  device: UsbDevice,
  { number, alternate, class: code }: UsbInterface,
): Promise<DeviceId | undefined> {
  if (code !== PRINTER_CLASS) return undefined;
  const setup = { requestType: 0xa1, request: 0, value: 0, index: (number << 8) | alternate };
  const raw = await answered(device.controlIn(setup, 1023, { timeoutMs: REQUEST_MS }));
  const parsed = raw && parseDeviceId(raw);
  return parsed?.ok ? parsed.value : undefined;
}

/**
 * The recipe that drives this printer, or the refusal with the language that it speaks; `family` where only a row for
 * every product of the vendor says so. `answers`: the printer was asked, and answers as ESC/POS ones do.
 */
function decide(
  identity: UsbIdentity,
  id: DeviceId | undefined,
  byIds: Resolution | undefined,
  recipes: Recipes,
  answers = false,
): Resolution | (Refusal & { readonly family?: true }) {
  const spoken = id && languageOf(id, refused.languages);
  if (spoken?.verdict === 'refuse') return { ...REFUSED, detail: spoken.language };
  const speaksEscpos = answers || spoken?.verdict === 'escpos';
  // One without a device id still has the strings of its descriptors.
  const said = { mfg: id?.manufacturer || identity.make, mdl: id?.model || identity.model };
  const derived = derivedPrinter({ ...identity, make: said.mfg, model: said.mdl });
  const worksOut =
    speaksEscpos || (byIds === undefined && identity.interfaces.some(({ class: code }) => code === PRINTER_CLASS));
  const resolution = recipes.resolve(
    identity,
    { ...said, ...(speaksEscpos && { codec: escpos.name }) },
    worksOut ? derived : undefined,
  );
  if (resolution === undefined)
    return { reason: 'no_codec', detail: 'no recipe, and the device id does not say ESC/POS' };
  // A maker may use one vendor id for its printers and for other things.
  if (resolution.row.kind !== 'printer' && worksOut) return derived;
  if (resolution.row.refuse !== undefined) {
    const { refuse, productId, match } = resolution.row;
    return { ...REFUSED, detail: refuse, ...(productId === '*' && match === undefined && { family: true }) };
  }
  if (resolution.row.codec !== escpos.name)
    return { reason: 'no_codec', detail: `a printer is not driven by ${resolution.row.codec}` };
  return resolution;
}

/** Names that say 58 mm: POS58, XP-58IIH, POS-5890, ZJ-5870, `58mm`. */
const NARROW = /(?:^|\D)58(?:\d\d)?(?:\D|$)/;
/** 58 mm paper at 203 dpi has 384 dots in a line (Epson TM-T20III and POS-58 manuals). */
const NARROW_PAPER = { columns: 32, dots: 384 };

/** The derived recipe, for narrow paper where the printer's own name says so: what is too wide is lost there. */
function derivedPrinter(named: Parameters<typeof derivedRecipe>[0]): Resolution {
  const { row, tier } = derivedRecipe(named, escpos);
  return { row: { ...row, options: NARROW.test(named.model) ? NARROW_PAPER : {} }, tier };
}
