import { PageNotFound } from '@/app/_ui/page-not-found';

export default function DeliveryNotFound() {
  return (
    <PageNotFound href="../webhooks" label="Webhooks">
      Your app has no such delivery, or it is no longer kept.
    </PageNotFound>
  );
}
