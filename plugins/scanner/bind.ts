/** Binds a USB scanner: chooses the interface that sends reads, and the codec for it. */
import { hidKeyboard } from '../../codecs/hid-keyboard.ts';
import { featureReportOnOpen, hidPos, newPosScanner, type PosOptions } from '../../codecs/hid-pos.ts';
import { chooseApplication, longestInputReport } from '../../codecs/hid-report.ts';
import { bootFormat, describedFormat, lightsReport } from '../../codecs/keyboard-report.ts';
import { serialLines } from '../../codecs/serial-lines.ts';
import type { UsbDevice, UsbIdentity } from '../../runtime/bindings/usb.ts';
import { sendOutputReport, setFeatureReport, setProtocol } from '../../runtime/bindings/usb-hid.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/device.ts';
import type { Recipes } from '../../runtime/kernel/node.ts';
import type { RecipeRow } from '../../runtime/recipes/row.ts';
import { disagreeing, isOfCloud, type Resolution } from '../../runtime/recipes/table.ts';
import { bindSerial } from './cdc.ts';
import type { ScannerSettings } from './contract.ts';
import { claimInterfaces, type HidInterface, hidInterfaces, isBoot, isBootKeyboard } from './hid.ts';
import { KeyboardReader } from './keyboard-reader.ts';
import { PosReader } from './pos-reader.ts';
import { type Reader, type ReadSink, Scanner } from './scanner.ts';

type ReadMode = ScannerSettings['readMode'];
type Codec = typeof hidPos | typeof hidKeyboard;

const CODECS: Readonly<Record<ReadMode, Codec | undefined>> = {
  auto: undefined,
  keyboard: hidKeyboard,
  hidpos: hidPos,
};
const BOOT_REPORT_BYTES = 8;
const POS_REPORT_BYTES = 64;
/** bInterfaceClass of chip card readers (CCID). */
const SMART_CARD_CLASS = 0x0b;
const FIDO_PAGE = 0xf1d0;

/**
 * `scanner` where a recipe row says so, and for a device that is only a keyboard: nothing distinguishes a keyboard-wedge
 * scanner from an office keyboard. A device with other HID interfaces is probed instead.
 */
export function classify(
  identity: UsbIdentity,
  recipe: Resolution | undefined,
  readMode: ReadMode,
): 'scanner' | undefined {
  if (recipe?.row.kind === 'scanner') return 'scanner';
  if (isOther(recipe?.row) || readMode === 'hidpos') return undefined;
  const hid = hidInterfaces(identity);
  return hid.some(isBootKeyboard) && hid.every(isBoot) && !hasSmartCard(identity) ? 'scanner' : undefined;
}

/** True where a row for this product has another kind. A row for the whole vendor says nothing about its scanners. */
const isOther = (row: RecipeRow | undefined) => row !== undefined && row.kind !== 'scanner' && row.productId !== '*';

/**
 * What the report descriptors say: `scanner` for one of page 8C, `keyboard` for what may be one. A security key is
 * neither, though it types. Rejects with a UsbError where these cannot be read.
 */
export async function probe(
  device: UsbDevice,
  recipe: Resolution | undefined,
  readMode: ReadMode,
): Promise<'scanner' | 'keyboard' | undefined> {
  const tells = hidInterfaces(device.identity).some((candidate) => isBootKeyboard(candidate) || !isBoot(candidate));
  if (!tells || isOther(recipe?.row)) return undefined;
  try {
    await device.open();
    const interfaces = await claimInterfaces(device);
    const codec = choose(interfaces, readMode, undefined)?.codec;
    if (codec === hidPos) return 'scanner';
    return codec === undefined || hasSmartCard(device.identity) || interfaces.some(isSecurityKey)
      ? undefined
      : 'keyboard';
  } finally {
    await device.close();
  }
}

/** A chip card behind a keyboard: a security key, or an office keyboard with a reader. */
const hasSmartCard = ({ interfaces }: UsbIdentity) => interfaces.some(({ class: code }) => code === SMART_CARD_CLASS);
/** FIDO U2F HID protocol, 4: an interface with a collection of usage page F1D0. */
const isSecurityKey = ({ descriptor }: HidInterface) =>
  descriptor?.collections.some(({ usage }) => usage >>> 16 === FIDO_PAGE) === true;

/** Opens the device and claims its interfaces. Gives the bound scanner, or the refusal. Rejects with a UsbError. */
export async function bind(
  candidate: Candidate,
  recipes: Recipes,
  settings: () => ScannerSettings,
  sink: ReadSink,
): Promise<Scanner | Refusal> {
  const { device, recipe: byIds } = candidate;
  const { identity } = device;
  const row = byIds?.row.kind === 'scanner' ? byIds.row : undefined;
  if (row?.refuse !== undefined) return { reason: 'unsupported_language', detail: row.refuse };
  const { readMode } = settings();
  if (byIds !== undefined && row?.codec === serialLines.name)
    return readMode === 'auto' ? bindSerial(candidate, byIds, settings, sink) : unread(readMode);
  if (hidInterfaces(identity).length === 0) {
    return { reason: 'bad_descriptor', detail: 'no HID interface with an interrupt IN pipe' };
  }
  await device.open();
  try {
    const interfaces = await claimInterfaces(device);
    const choice = choose(interfaces, readMode, row);
    // One whose interfaces all say that they are boot devices was not probed.
    const isKey = row === undefined && interfaces.some(isSecurityKey);
    if (choice === undefined || isKey) {
      await device.close();
      return isKey ? { reason: 'no_codec', detail: 'a security key' } : unread(readMode);
    }
    const own = choose(interfaces, readMode, undefined)?.codec ?? choice.codec;
    const why = readMode === 'auto' ? `the device is read as ${choice.codec.name}` : `readMode is ${readMode}`;
    const recipe = resolve(identity, { codec: choice.codec, own, why }, recipes);
    const driven =
      choice.codec === hidPos
        ? await drivePos(device, choice.from, recipe.row.options, sink)
        : await driveKeyboard(device, choice.from, settings, sink);
    const guessed = choice.codec === hidKeyboard && row === undefined;
    return new Scanner({ device, recipe, pipe: choice.from.pipe, guessed, ...driven });
  } catch (error) {
    await device.close();
    throw error;
  }
}

const unread = (readMode: ReadMode): Refusal => ({
  reason: 'no_codec',
  detail: `no interface that readMode ${readMode} reads`,
});

interface Driven {
  readonly reader: Reader;
  readonly reportBytes: number;
}

interface Choice {
  readonly codec: Codec;
  readonly from: HidInterface;
}

/** In order: the setting of the operator, the recipe row, the descriptors, where HID POS is preferred to a keyboard. */
function choose(
  interfaces: readonly HidInterface[],
  readMode: ReadMode,
  row: RecipeRow | undefined,
): Choice | undefined {
  const best = chooseApplication(interfaces.map(({ descriptor }) => descriptor));
  if (row === undefined && best?.application === 'scale') return undefined;
  const described = best?.application === 'scanner' ? interfaces[best.index] : undefined;
  // The row decides only where the device has both interfaces.
  const both = described !== undefined && interfaces.some(({ bootKeyboard }) => bootKeyboard);
  const wanted = CODECS[readMode]?.name ?? (both ? row?.codec : undefined);
  const pos = described ?? (row?.codec === hidPos.name ? interfaces.find(isUndescribed) : undefined);
  if (pos !== undefined && wanted !== hidKeyboard.name) return { codec: hidPos, from: pos };
  const types = (candidate: HidInterface) => candidate.bootKeyboard && (row !== undefined || !isOtherDevice(candidate));
  const keyboard = interfaces.find(types) ?? interfaces.find(isKeyboard);
  if (keyboard !== undefined && wanted !== hidPos.name) return { codec: hidKeyboard, from: keyboard };
  return undefined;
}

/**
 * One that calls itself a boot keyboard, and describes longer reports without a key in them: what it sends would be taken
 * for keys.
 */
const isOtherDevice = ({ descriptor }: HidInterface) =>
  descriptor !== undefined &&
  describedFormat(descriptor) === undefined &&
  (longestInputReport(descriptor) ?? 0) > BOOT_REPORT_BYTES;
const isUndescribed = ({ bootKeyboard, descriptor }: HidInterface) => !bootKeyboard && descriptor === undefined;
const isKeyboard = ({ descriptor }: HidInterface) => chooseApplication([descriptor])?.application === 'keyboard';

/**
 * The row, where it names the chosen codec; else a derived recipe. `own`: the codec that the node chooses without a row.
 * `why`: the reason for another codec than that of the row.
 */
function resolve(
  identity: UsbIdentity,
  { codec, own, why }: { readonly codec: Codec; readonly own: Codec; readonly why: string },
  recipes: Recipes,
): Resolution {
  const found = recipes.resolve(identity, undefined, derivedRecipe(identity, own));
  if (found?.row.codec === codec.name) return found;
  const derived = derivedRecipe(identity, codec);
  const isOverruled = isOfCloud(found) && found.row.kind === 'scanner';
  return isOverruled ? { ...derived, disagreement: disagreeing(found.row, derived.row, why) } : derived;
}

async function drivePos(
  device: UsbDevice,
  { number, descriptor }: HidInterface,
  options: PosOptions,
  sink: ReadSink,
): Promise<Driven> {
  const wake = featureReportOnOpen(options);
  if (wake !== undefined) await setFeatureReport(device, number, wake);
  const reader = new PosReader(newPosScanner(descriptor, options), sink);
  return { reader, reportBytes: longestInputReport(descriptor) ?? POS_REPORT_BYTES };
}

/**
 * A keyboard stays in the report protocol, as with Linux, where its report descriptor says where its keys are: some accept
 * the boot protocol and go on with a report id in front, which would be taken for Shift or Ctrl.
 */
async function driveKeyboard(
  device: UsbDevice,
  { number, bootKeyboard, out, descriptor }: HidInterface,
  settings: () => ScannerSettings,
  sink: ReadSink,
): Promise<Driven> {
  const format = descriptor && describedFormat(descriptor);
  const described = format === undefined ? undefined : descriptor;
  if (bootKeyboard) await setProtocol(device, number, format === undefined ? 'boot' : 'report');
  const show = async (locks: number) => {
    const report = lightsReport(locks, described);
    if (report !== undefined) await sendOutputReport(device, { number, out }, report.id, report.bytes);
  };
  const reader = new KeyboardReader({ format: format ?? bootFormat, settings, sink, show });
  await show(reader.locks);
  return { reader, reportBytes: longestInputReport(described) ?? BOOT_REPORT_BYTES };
}
