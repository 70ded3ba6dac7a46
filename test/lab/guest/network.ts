/** GET /network of a node on port 80. */

export interface NetworkView {
  readonly mode: string;
  readonly ssid?: string;
  readonly mac: string;
  readonly trying?: { readonly to: string; readonly attempt: number; readonly lastFault?: string };
  readonly ipv4: { readonly address: string };
}

/** As somebody on the node itself sees it. */
export const network = async (): Promise<NetworkView> => {
  const response = await fetch('http://127.0.0.1/network', { headers: { connection: 'close' } });
  return (await response.json()) as NetworkView;
};
