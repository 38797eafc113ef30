import { redirect } from 'next/navigation';
import { type AppParams, requireApp } from '../../require-app';

/** An earlier address. */
export default async function EarlierOrigins(props: AppParams): Promise<never> {
  const { id } = await requireApp(props, 'view');
  redirect(`/partner/${id}/integration`);
}
