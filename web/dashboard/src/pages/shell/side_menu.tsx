import type { ReactNode } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";

/** The sidebar over the page, for narrow screens. */
export function SideMenu({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  return (
    <ModalOverlay className="sidebar-modal" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal>
        <Dialog aria-label="Menu">{children}</Dialog>
      </Modal>
    </ModalOverlay>
  );
}
