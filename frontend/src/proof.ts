// Whether it is the dashboard that listens here. While it is down another program can, so no text is
// sent before the other side has proved that it knows the key that this page came with.
export const PROOF_ADDRESS = "/hand-over";
const secret = document.querySelector<HTMLMetaElement>('meta[name="draft-key"]')?.content ?? "";
const canProve = secret !== "" && globalThis.crypto?.subtle !== undefined; // not in plain HTTP on a network

export async function isDashboard(): Promise<boolean> {
  if (!canProve) return true;
  const nonce = [...crypto.getRandomValues(new Uint8Array(16))].join("-");
  const response = await fetch(`${PROOF_ADDRESS}?nonce=${nonce}`).catch(() => undefined);
  if (!response?.ok) return false;
  return (await response.text()) === (await sign(`dashboard ${location.port || "80"} ${nonce}`));
}

export async function sign(text: string): Promise<string> {
  const bytes = (part: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(part) as Uint8Array<ArrayBuffer>;
  const key = await crypto.subtle.importKey("raw", bytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(text)));
  return [...signature].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
