/**
 * The styles of the overlay. It is in a closed shadow root, so the rules of the host do not apply to it. The close
 * button is above the frame, not over it: a browser counts a frame with anything in front of it as covered.
 */
export const OVERLAY_STYLES = `
:host{all:initial}
*{box-sizing:border-box}
dialog{
  --surface:#fff;--text:#16181d;--muted:#5b616e;--line:#d9dbe1;--accent:#4649c8;--on-accent:#fff;
  position:fixed;inset:0;margin:auto;padding:0;border:0;overflow:hidden;
  width:min(440px,calc(100vw - 32px));height:min(680px,calc(100dvh - 48px));max-width:none;max-height:none;
  border-radius:16px;background:var(--surface);color:var(--text);color-scheme:light dark;
  box-shadow:0 0 0 1px rgb(10 12 20/.06),0 24px 64px -12px rgb(10 12 20/.35);
  font:15px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
  animation:rise .22s cubic-bezier(.2,.8,.2,1)
}
dialog:focus{outline:none}
dialog::backdrop{background:rgb(10 12 20/.48);animation:fade .2s ease-out}
iframe{position:absolute;inset:44px 0 0;width:100%;height:calc(100% - 44px);border:0;background:transparent;color-scheme:light dark;opacity:0;transition:opacity .15s}
.open iframe{opacity:1}
.close{
  position:absolute;z-index:2;top:8px;right:14px;width:36px;height:36px;padding:0;border:0;border-radius:10px;
  display:grid;place-items:center;background:transparent;color:var(--muted);cursor:pointer
}
.close:hover{background:rgb(127 132 148/.16);color:var(--text)}
button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.state{position:absolute;z-index:1;inset:0;display:grid;place-content:center;justify-items:center;gap:8px;padding:32px;text-align:center}
.open .state{display:none}
h2{margin:0;font-size:17px;font-weight:600;letter-spacing:-.01em}
p{margin:0 0 16px;color:var(--muted);text-wrap:balance}
.action{min-height:44px;padding:0 18px;border-radius:10px;border:1px solid var(--line);background:transparent;color:var(--text);font:inherit;font-weight:500;cursor:pointer;width:260px}
.action.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.spinner{width:24px;height:24px;margin-bottom:8px;border-radius:50%;border:2.5px solid var(--line);border-top-color:var(--accent);animation:turn .8s linear infinite}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@keyframes rise{from{opacity:0;transform:translateY(12px) scale(.985)}}
@keyframes fade{from{opacity:0}}
@keyframes turn{to{transform:rotate(1turn)}}
@media(prefers-color-scheme:dark){
  dialog{--surface:#131417;--text:#eceef2;--muted:#9ba1ae;--line:#33363f;--accent:#9a9dff;--on-accent:#101114;box-shadow:0 0 0 1px rgb(255 255 255/.08),0 24px 64px -12px #000}
  dialog::backdrop{background:rgb(0 0 0/.64)}
}
@media(max-width:639px){
  dialog{width:100vw;height:100dvh;border-radius:0;box-shadow:none;padding:0 env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)}
  .close{width:44px;height:44px;top:0;right:10px}
}
@media(prefers-reduced-motion:reduce){dialog,dialog::backdrop{animation:none}iframe{transition:none}.spinner{animation-duration:2.4s}}
@media(forced-colors:active){dialog{border:1px solid CanvasText}}
`;
