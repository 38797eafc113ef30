/** The first kilobyte of the receiver's response. */
export function Response({ text }: { text: string }) {
  if (text.trim() === '') return null;
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      className="mt-3 max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-[13px] break-words whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
