import { SvcProvider } from 'svc-checkout/react';

export const metadata = { title: 'my-svc-app' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body style={{ maxWidth: '40rem', margin: '3rem auto', padding: '0 1rem', font: '1rem/1.5 system-ui' }}>
        <SvcProvider service="https://YOUR-SERVICE" publishableKey="svc_pk_…">
          {children}
        </SvcProvider>
      </body>
    </html>
  );
}
