/** Shows SVG text as an image, in which scripts cannot run. */
import { useEffect, useState } from 'preact/hooks';

/** The image; `label` is its alternative text. */
export function Drawing({ svg, label }: { svg: string; label: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return url === undefined ? null : <img class="drawing" src={url} alt={label} />;
}
