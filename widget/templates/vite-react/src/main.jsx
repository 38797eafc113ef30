import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { SvcProvider } from 'svc-checkout/react';
import { App } from './app';

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <SvcProvider service="https://YOUR-SERVICE" publishableKey="svc_pk_…">
      <App />
    </SvcProvider>
  </StrictMode>,
);
