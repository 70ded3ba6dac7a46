/**
 * A room's part of the operator page: a file `panel.tsx` beside its `index.ts`, or `panel/panel.tsx`, whose default
 * export is a panel. The build finds it by its name, so the page shows exactly the rooms of its image. The components
 * for panels stand beside this file; panels import them and this file from `tillnode/panel`.
 */
import type { ComponentType } from 'preact';
import type { Config, NodeClient, Status } from '../../client/client.ts';
import type { Tone } from './badge.tsx';

/** An event as it comes from GET /events. */
export interface PageEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The node that served the page, as panels use it. A panel is rendered again when one of the fields changes. */
export interface PageNode {
  readonly client: NodeClient;
  /** The last GET /status; undefined until the first came. */
  readonly status: Status | undefined;
  /** The last GET /config. */
  readonly config: Config | undefined;
  /** False in a mode above `open`, in which the page changes nothing (specification 5.12) and hides such controls. */
  readonly maySave: boolean;
  /** False in the mode `strict`: printing, drawer and scan log need the API key. */
  readonly mayPrint: boolean;
  /** Calls `hear` with every event of this type, until the returned function is called. */
  on(type: string, hear: (event: PageEvent) => void): () => void;
  /** Reads status and configuration again, after a change. */
  refresh(): Promise<void>;
}

/** The properties of every component of a panel. */
export interface PanelProps {
  readonly node: PageNode;
}

/** The state of a device, for a person at the till. */
export interface DeviceState {
  readonly endpoint: string;
  readonly kind: string;
  /** As GET /status has it: `bound`, `gone` and so on. */
  readonly condition: string;
  /** Name of such a device for people. */
  readonly name: string;
  /** `bad`: it cannot do its work now; for a printer: a receipt would not be printed. */
  readonly tone: Tone;
  /** A sentence without technical terms: its state and what to do. */
  readonly words: string;
  /** The condition, reason or error code that the sentence is about. */
  readonly code?: string;
}

/** A link from another room's part of the page. */
export interface DeviceLink {
  readonly href: string;
  readonly words: string;
}

/** A panel of the operator page. */
export interface Panel {
  /** Also its fragment in the URL: `#receipt`. */
  readonly id: string;
  readonly title: string;
  /** Position: panels with lower numbers are first. Up to 99 they are of the counter, up to 149 of the network, then of this box. */
  readonly order: number;
  /** The panel itself; mounted while it is selected. Without one, and without `href`, it is not in the menu. */
  readonly View?: ComponentType<PanelProps>;
  /** In place of a view: the address of a page of its own, to which the menu leads. */
  readonly href?: string;
  /** The states of the room's devices; the header of the page shows the worst of all rooms. */
  readonly devices?: (node: PageNode) => readonly DeviceState[];
  /** The room's cards on the overview, for a person at the till. */
  readonly Overview?: ComponentType<PanelProps>;
  /** A link for the card of each device on the overview, of whichever room that is; undefined if it has none for that device. */
  readonly deviceLink?: (device: DeviceState) => DeviceLink | undefined;
  /** A link for whatever tells this code (a condition, reason, outcome or error); undefined if it has none for that one. */
  readonly codeLink?: (code: string) => DeviceLink | undefined;
  /** A notice above every panel; renders nothing if there is none. */
  readonly Notice?: ComponentType<PanelProps>;
}

/** Declares a panel: the default export of `panel.tsx`. */
export const definePanel = (panel: Panel): Panel => Object.freeze(panel);
