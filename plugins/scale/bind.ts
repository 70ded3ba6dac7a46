/** Binds a USB scale: recognises it, chooses the interface and the recipe. */
import { chooseApplication, longestInputReport } from '../../codecs/hid-report.ts';
import { hidScale, type ScaleOptions, type ScaleReading, scaleLayout } from '../../codecs/hid-scale.ts';
import type { UsbDevice, UsbIdentity, UsbInterface } from '../../runtime/bindings/usb.ts';
import { readReportDescriptor, reportPipe } from '../../runtime/bindings/usb-hid.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/device.ts';
import type { Recipes } from '../../runtime/kernel/node.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import { readReportDescriptors, reportInterfaces } from './hid.ts';
import { Scale } from './scale.ts';

/** `scale` where a recipe row says so: the USB descriptors of a scale are those of any HID device. */
export function classify(identity: UsbIdentity, recipe: Resolution | undefined): 'scale' | undefined {
  return recipe?.row.kind === 'scale' && reportInterfaces(identity).length > 0 ? 'scale' : undefined;
}

/** `scale` where a report descriptor has an application of usage page 8D. Rejects with a UsbError. */
export async function probe(device: UsbDevice): Promise<'scale' | undefined> {
  const interfaces = reportInterfaces(device.identity);
  if (interfaces.length === 0) return undefined;
  const chosen = chooseApplication(await readReportDescriptors(device, interfaces));
  return chosen?.application === 'scale' ? 'scale' : undefined;
}

/** Opens the device and claims its interface. Gives the bound scale, or the refusal. Rejects with a UsbError. */
export async function bind(
  { device }: Candidate,
  recipes: Recipes,
  onReading: (reading: ScaleReading) => void,
): Promise<Scale | Refusal> {
  const { identity } = device;
  const recipe = recipes.resolve(identity, {}, derivedRecipe(identity, hidScale));
  if (recipe?.row.refuse !== undefined) return { reason: 'unsupported_language', detail: recipe.row.refuse };
  if (recipe?.row.codec !== hidScale.name)
    return { reason: 'no_codec', detail: `a scale is not driven by ${recipe?.row.codec}` };
  const usable = await chooseInterface(device);
  const pipe = usable && reportPipe(usable);
  if (usable === undefined || pipe === undefined)
    return { reason: 'bad_descriptor', detail: 'no interface that sends reports' };
  await device.open();
  try {
    await device.claim(usable.number, usable.alternate);
    const descriptor = await readReportDescriptor(device, usable);
    const { application = 'scale' } = chooseApplication([descriptor]) ?? {};
    if (application !== 'scale') {
      await device.close();
      return { reason: 'no_codec', detail: `its report descriptor is that of a ${application}` };
    }
    const options = recipe.row.options as ScaleOptions;
    const layout = scaleLayout(descriptor);
    return new Scale({
      device,
      pipe,
      reportBytes: longestInputReport(descriptor) ?? 0,
      layout,
      options,
      recipe,
      onReading,
    });
  } catch (error) {
    await device.close();
    throw error;
  }
}

/** The interface with usage page 8D; the first one where no descriptor has it and only the recipe names a scale. */
async function chooseInterface(device: UsbDevice): Promise<UsbInterface | undefined> {
  const interfaces = reportInterfaces(device.identity);
  if (interfaces.length < 2) return interfaces[0];
  const chosen = chooseApplication(await readReportDescriptors(device, interfaces));
  return interfaces[chosen?.application === 'scale' ? chosen.index : 0];
}
