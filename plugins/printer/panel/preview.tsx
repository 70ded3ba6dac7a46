/** The preview of lines: the paper that the node says they make. */
import { useEffect, useState } from 'preact/hooks';
import { NodeError } from '../../../runtime/client/client.ts';
import type { PageNode } from '../../../runtime/page/kit.ts';
import type { Line } from '../contract.ts';

/** A paper of the node. */
export interface DrawnPaper {
  readonly svg: string;
  /** A row for each printed line. */
  readonly text: string;
  /** Characters that are printed as a question mark. */
  readonly substituted: number;
}

/** What is known of the lines that were asked for last. */
export interface Preview {
  /** The last paper that was drawn; the lines may have changed since. */
  readonly paper: DrawnPaper | undefined;
  /** Why these lines have none: what the node refused, or that it does not answer. */
  readonly fault: unknown;
  /** The node has answered for these lines. */
  readonly answered: boolean;
}

interface Answer {
  readonly lines: readonly Line[] | undefined;
  readonly fault?: unknown;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** What the document says of itself. It is no HTML, and is not parsed as such: the page has nothing that could run it. */
function paperIn(svg: string): DrawnPaper {
  const [, text = ''] = /<desc[^>]*>([^<]*)<\/desc>/.exec(svg) ?? [];
  const [, substituted] = /data-substituted="(\d+)"/.exec(svg) ?? [];
  return {
    svg,
    text: text.replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity),
    substituted: Number(substituted ?? 0),
  };
}

/** True for a refusal that another attempt does not change: the lines are at fault. */
export const isRefusal = (fault: unknown): fault is NodeError => fault instanceof NodeError && fault.status === 422;

/**
 * Asks the node for the paper of these lines, and anew when they change, or one of `settings`, by which it lays them out; an
 * older question is given up. Undefined lines ask nothing, nor does a page that may not print. A node that did not answer
 * is asked again when it is back.
 */
export function usePreview(
  node: PageNode,
  lines: readonly Line[] | undefined,
  ...settings: readonly unknown[]
): Preview {
  const { client, status, mayPrint } = node;
  const [paper, setPaper] = useState<DrawnPaper>();
  const [answer, setAnswer] = useState<Answer>({ lines: undefined });
  /** A new one whenever the node has answered. */
  const again = answer.fault !== undefined && !isRefusal(answer.fault) ? status : undefined;
  useEffect(() => {
    if (lines === undefined || !mayPrint) return undefined;
    const question = new AbortController();
    client.preview(lines, { signal: question.signal }).then(
      (svg) => {
        setPaper(paperIn(svg));
        setAnswer({ lines });
      },
      (fault: unknown) => {
        if (!question.signal.aborted) setAnswer({ lines, fault });
      },
    );
    return () => question.abort();
  }, [client, lines, mayPrint, again, ...settings]);
  const answered = lines !== undefined && answer.lines === lines;
  return { paper, fault: answered ? answer.fault : undefined, answered };
}
