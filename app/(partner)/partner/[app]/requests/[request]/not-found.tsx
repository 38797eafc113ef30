import { PageNotFound } from '@/app/_ui/page-not-found';

export default function RequestNotFound() {
  return (
    <PageNotFound href="../requests" label="Requests">
      Your app has no charged request with this ID. Refused requests are counted under Errors, and archived
      ones are no longer shown.
    </PageNotFound>
  );
}
