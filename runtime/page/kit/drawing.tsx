/** A drawing that came as text: shown as a picture, where nothing in it can run. */
import { useEffect, useState } from 'preact/hooks';

export function Drawing({ svg, label }: { svg: string; label: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return url === undefined ? null : <img class="drawing" src={url} alt={label} />;
}
