/** Uploads an image file: computes its digest, sends it and shows the progress. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { useState } from 'preact/hooks';
import { NodeError } from '../../client/client.ts';
import { CheckField, Form, type PageNode, speech, TextField } from '../../page/kit.ts';
import words from './words/en.json' with { type: 'json' };

const say = speech(words);

const PIECE_BYTES = 1 << 20;

interface Progress {
  readonly doing: string;
  /** From 0 to 1; undefined of what nobody knows. */
  readonly part?: number;
}

/** The form for the image file and the update key. */
export function Upload({ node: { status } }: { node: PageNode }) {
  const [file, setFile] = useState<File>();
  const [key, setKey] = useState('');
  const [anyVariant, setAnyVariant] = useState(false);
  const [progress, setProgress] = useState<Progress>();
  const send = async () => {
    if (file === undefined) throw new Error(say('chooseFirst'));
    try {
      const digest = await digestOf(file, (part) => setProgress({ doing: say('checking'), part }));
      const headers = {
        Authorization: `Bearer ${key}`,
        'X-NODE-Image-Sha256': digest,
        ...(anyVariant && { 'X-NODE-Allow-Variant-Change': '1' }),
      };
      const { version } = await post(file, headers, (part) =>
        // All of it is there: the node checks it as it is on its disk, and makes it what starts next.
        setProgress(part < 1 ? { doing: say('sending'), part } : { doing: say('putting') }),
      );
      return say('installed', { version });
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <Form submit={say('install')} onSubmit={send}>
      <div class="field">
        <label for="image">{say('imageFor', { variant: status?.identity.variant ?? '' })}</label>
        <input
          id="image"
          type="file"
          accept=".img"
          required
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
      </div>
      <TextField label={say('updateKey')} hint={say('keyHint')} type="password" required value={key} onValue={setKey} />
      <CheckField label={say('anyVariant')} value={anyVariant} onValue={setAnyVariant} />
      {progress && (
        <p>
          <label>
            {progress.doing}… <progress value={progress.part} />
          </label>
        </p>
      )}
    </Form>
  );
}

/**
 * SHA-256 in lower-case hexadecimal digits, computed in pieces, so that the page stays responsive and never has the
 * whole image in memory. Browsers have `crypto.subtle` only on secure origins, and a node uses plain HTTP.
 */
async function digestOf(file: File, told: (part: number) => void): Promise<string> {
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    hash.update(new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer()));
    told(Math.min(1, (at + PIECE_BYTES) / file.size));
  }
  return bytesToHex(hash.digest());
}

/** XMLHttpRequest, as `fetch` does not report the progress of an upload. */
function post(
  file: File,
  headers: Readonly<Record<string, string>>,
  told: (part: number) => void,
): Promise<{ readonly version: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/update');
    request.responseType = 'json';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => told(loaded / file.size);
    request.onerror = () => reject(new NodeError('unreachable', 0));
    request.onload = () => {
      const { status, response } = request;
      if (status === 200) resolve(response);
      else reject(new NodeError(response?.error ?? 'unreachable', status, response?.detail));
    };
    request.send(file);
  });
}
