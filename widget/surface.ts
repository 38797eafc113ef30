/** Where the checkout is shown: as an overlay or in its own window. */
export type Surface = {
  isOverlay(): boolean;
  /** Whether a message comes from the checkout's own window. */
  isPeer(source: Window): boolean;
  /** The checkout has responded: show it. It gets the focus once it `isReady`: until then, it ignores keys. */
  reveal(isReady: boolean): void;
  focus(): void;
  /** False once the user or the page has closed it. */
  isOpen(): boolean;
  remove(): void;
};
