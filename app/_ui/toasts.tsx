'use client';

import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

const toasts = Toast.createToastManager();

/** Briefly confirms what has just happened. A problem that must be read belongs in the page. */
export function showToast(message: string, kind: 'positive' | 'danger' = 'positive'): void {
  toasts.add({ title: message, type: kind, priority: kind === 'danger' ? 'high' : 'low' });
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed inset-x-4 bottom-4 z-50 flex flex-col gap-2 sm:inset-x-auto sm:right-6 sm:bottom-6 sm:w-[360px]">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="animate-appear flex items-start gap-3 rounded-xl border border-line bg-surface p-4 text-sm shadow-lg data-[limited]:hidden"
    >
      <span
        aria-hidden="true"
        className={`mt-1.5 size-2 shrink-0 rounded-full ${toast.type === 'danger' ? 'bg-danger' : 'bg-positive'}`}
      />
      <Toast.Title className="min-w-0 flex-1 font-medium" />
      <Toast.Close
        aria-label="Close"
        className="-m-3 grid size-11 place-items-center rounded-md text-muted hover:text-text"
      >
        <X size={16} aria-hidden="true" />
      </Toast.Close>
    </Toast.Root>
  ));
}
