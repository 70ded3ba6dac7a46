/** `tillnode/plugin`: everything a room is written with, in this tree or outside of it. */
export { type Static, Type } from '@sinclair/typebox';
export {
  type TransferOptions,
  type UsbDevice,
  UsbError,
  type UsbFault,
  type UsbIdentity,
  type UsbInterface,
  type UsbPipe,
  type UsbSetup,
} from '../bindings/bindings.ts';
export { type AcmInterfaces, acmInterfaces, openAcmLine } from '../bindings/usb-acm.ts';
export { readReportDescriptor, reportPipe } from '../bindings/usb-hid.ts';
export { answered, type PipeReading, readPipe } from '../bindings/usb-transfers.ts';
export { type Command, type CommandResult, failed, succeeded } from '../kernel/command.ts';
export { derivedRecipe } from '../kernel/derived.ts';
export { ApiError, type ErrorRow } from '../kernel/errors.ts';
export type { NodeEvent, StatusDraft } from '../kernel/hooks.ts';
export type { Bound, Candidate, EndpointState, Refusal } from '../kernel/hotplug.ts';
export type { Kernel } from '../kernel/kernel.ts';
export {
  type Call,
  type ConfigDeclaration,
  definePlugin,
  type EndpointDeclaration,
  type EventDeclaration,
  type Plugin,
  type PluginDeclaration,
  Reply,
  type RouteDeclaration,
  route,
  type Tier,
} from '../kernel/plugin.ts';
export type { RecipeRow, RecipeTable, Resolution } from '../kernel/recipes.ts';
export { closed, open, tagged, utf8 } from '../kernel/schema.ts';
