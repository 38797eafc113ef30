/** Where the checkout is shown: over the page, or in a window of its own. */
export type Surface = {
  isOverlay(): boolean;
  /** Whether a message comes from the checkout's own window. */
  isPeer(source: Window): boolean;
  /** The checkout answered: show it. */
  reveal(): void;
  focus(): void;
  /** False once the user, or the page, took it away. */
  isOpen(): boolean;
  remove(): void;
};
