import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";

interface DialogProps {
  title: ReactNode;
  children: ReactNode;
  onClose: () => void;
  /** A confirmation interrupts; a form does not. */
  alert?: boolean;
  /** Escape and a click outside do not close it. */
  keep?: boolean;
}

/** A dialog over the page. The component that shows it removes it in `onClose`. */
export function AppDialog({ title, children, onClose, alert, keep }: DialogProps) {
  return (
    <ModalOverlay
      className="veil" isOpen isDismissable={!keep} isKeyboardDismissDisabled={keep}
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className="dialog">
        <Dialog role={alert ? "alertdialog" : "dialog"}>
          <div className="dialog-head">
            <Heading slot="title" level={2} className="wrap-any">{title}</Heading>
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmProps {
  /** A question with the name of the thing. */
  title: string;
  /** What will stop, and what stays. */
  children: ReactNode;
  verb: string;
  keepWord: string;
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before an act that ends something. The focus starts on the safe choice. */
export function Confirm({ title, children, verb, keepWord, busy, error, onConfirm, onClose }: ConfirmProps) {
  return (
    <AppDialog title={title} onClose={onClose} alert>
      <div className="dialog-body">
        {children}
        {error && <p className="field-error" role="alert">{error.message}</p>}
      </div>
      <div className="dialog-foot">
        <button className="btn" type="button" onClick={onClose} autoFocus>{keepWord}</button>
        <button className="btn btn-danger" type="button" onClick={onConfirm} aria-disabled={busy} data-pending={busy || undefined}>
          {verb}
        </button>
      </div>
    </AppDialog>
  );
}
