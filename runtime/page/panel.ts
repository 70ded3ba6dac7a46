/**
 * What a room puts on the operator page: a file `panel.tsx` beside its `index.ts`, or `panel/panel.tsx`, whose default export is a panel.
 * The build finds it by its name, so the page of an image shows the rooms of that image and nothing else.
 * What panels are drawn with stands in `kit/`; `index.ts` is both, and is what plugins from outside import.
 */
import type { ComponentType } from 'preact';
import type { Config, NodeClient, Status } from '../client/client.ts';
import type { Tone } from './kit/badge.tsx';

/** An event as it comes from GET /events. */
export interface PageEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The node that served the page, as every panel sees it. A panel draws again when one of the fields changes. */
export interface PageNode {
  readonly client: NodeClient;
  /** The last GET /status; undefined until the first came. */
  readonly status: Status | undefined;
  /** The last GET /config. */
  readonly config: Config | undefined;
  /** The page saves nothing on a node above `open` (specification 5.12): such controls are not offered. */
  readonly maySave: boolean;
  /** Printing, drawer and the scan log stay open at `admin`. */
  readonly mayPrint: boolean;
  /** Hears every event of that type until the function that it returns is called. */
  on(type: string, hear: (event: PageEvent) => void): () => void;
  /** Asks for status and configuration again, after something was changed. */
  refresh(): Promise<void>;
}

export interface PanelProps {
  readonly node: PageNode;
}

/** One of the devices of a node, as somebody at the till is told of it. */
export interface DeviceState {
  readonly endpoint: string;
  /** What people call such a device. */
  readonly name: string;
  /** `bad` where its work cannot be done now; for a printer: where a receipt would not come out. */
  readonly tone: Tone;
  /** A sentence without words of developers: how it is, and what to do about it. */
  readonly words: string;
}

export interface Panel {
  /** Also its name in the address: `#receipt`. */
  readonly id: string;
  readonly title: string;
  /** Where it stands: lower comes first. */
  readonly order: number;
  /** Mounted while it is the one that is looked at. */
  readonly View: ComponentType<PanelProps>;
  /** How the devices of the room are; the header of the page has the worst of all of them. */
  readonly devices?: (node: PageNode) => readonly DeviceState[];
  /** What the overview has of the room: cards for somebody at the till. */
  readonly Overview?: ComponentType<PanelProps>;
  /** Stands above every panel; draws nothing where it has nothing to say. */
  readonly Notice?: ComponentType<PanelProps>;
}

export const definePanel = (panel: Panel): Panel => Object.freeze(panel);
