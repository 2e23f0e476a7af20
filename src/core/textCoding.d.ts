// The two classes of the WHATWG Encoding standard that core uses. They are pure and exist in every host (Node, browsers,
// VS Code's extension hosts), but TypeScript only declares them together with the rest of the DOM or of Node.
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(bytes: Uint8Array): string;
}
