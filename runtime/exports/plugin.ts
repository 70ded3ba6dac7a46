/** `tillnode/plugin`: everything that a room imports, in this tree or in another package. */
export { type Static, Type } from '@sinclair/typebox';
export { closed, open, tagged, utf8 } from '../base/schema.ts';
export { type AcmInterfaces, acmInterfaces, CDC_DATA_CLASS, openAcmLine } from '../bindings/serial/acm.ts';
export { VENDOR_CLASS } from '../bindings/serial/adapter.ts';
export { openSerialLine, type SerialLine, serialAdapter } from '../bindings/serial/line.ts';
export {
  type TransferOptions,
  type UsbDevice,
  UsbError,
  type UsbFault,
  type UsbIdentity,
  type UsbInterface,
  type UsbPipe,
  type UsbSetup,
} from '../bindings/usb.ts';
export { HID_CLASS, readReportDescriptor, reportPipe } from '../bindings/usb-hid.ts';
export { answered, type PipeReading, readPipe } from '../bindings/usb-transfers.ts';
export type { CliCommand, CliContext } from '../cli/command.ts';
export type { Access } from '../client/access.ts';
export type { CallOptions } from '../client/transport.ts';
export { replyOf, runCommand } from '../http/commands.ts';
export type { IncomingImage, InstalledImage, UpdatePolicy, UpdateSource, Updates } from '../image/updates.ts';
export { type Command, type CommandResult, failed, succeeded } from '../kernel/command.ts';
export type { ConfigDeclaration } from '../kernel/config.ts';
export { derivedRecipe } from '../kernel/derived.ts';
export type {
  Bound,
  Candidate,
  ChannelsDeclaration,
  EndpointDeclaration,
  EndpointState,
  Refusal,
} from '../kernel/device.ts';
export { ApiError, type ErrorRow } from '../kernel/errors.ts';
export type { ConfigChange, StatusDraft, TransferRecord } from '../kernel/hooks.ts';
export type { ImageInfo, Node, Recipes, RunOptions } from '../kernel/node.ts';
export {
  type Call,
  definePlugin,
  type EventDeclaration,
  type Plugin,
  type PluginDeclaration,
  type RouteDeclaration,
  route,
  routesOf,
  type Tier,
} from '../kernel/plugin.ts';
export type * from '../kernel/registry.ts';
export { Reply } from '../kernel/reply.ts';
export type { RecipeRow } from '../recipes/row.ts';
export type { Resolution } from '../recipes/table.ts';
