'use client';

import { type ChangeEvent, type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { changeProfile } from './actions';

type Props = {
  partnerId: string;
  site: string;
  support: string;
  /** A data URL, or empty. */
  logo: string;
};

/** Site, support address and logo. The server checks them; the file is only read here. */
export function ProfileForm({ partnerId, site, support, logo }: Props) {
  const [typed, setTyped] = useState({ site, support });
  const [image, setImage] = useState(logo);
  const { run, isRunning, failure, clearFailure } = useAction(changeProfile);
  const errorOf = (field: string) => (failure?.field === field ? failure.message : undefined);
  const change = (field: keyof typeof typed) => (event: ChangeEvent<HTMLInputElement>) => {
    setTyped({ ...typed, [field]: event.target.value });
    clearFailure();
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    clearFailure();
    const file = event.target.files?.[0];
    if (file === undefined) return;
    const reader = new FileReader();
    reader.onload = () => setImage(String(reader.result));
    reader.readAsDataURL(file);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const content = image === '' ? null : image.slice(image.indexOf(',') + 1);
    await run({ partnerId, ...typed, ...(image !== logo && { logo: content }) });
  };
  return (
    <form onSubmit={submit} noValidate className="fields gap-x-6 sm:grid-cols-2">
      <TextField
        label="Site"
        type="url"
        placeholder="https://example.com"
        value={typed.site}
        error={errorOf('site')}
        onChange={change('site')}
      />
      <TextField
        label="Support address"
        type="email"
        value={typed.support}
        error={errorOf('support')}
        onChange={change('support')}
      />
      <div className="sm:col-span-2">
        <label htmlFor="logo" className="text-sm font-medium">
          Logo
        </label>
        <div className="mt-1.5 flex flex-wrap items-center gap-3">
          {image !== '' && <img src={image} alt="" className="size-10 rounded-[10px] object-contain" />}
          <input
            id="logo"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            aria-describedby="logo-hint"
            onChange={choose}
            className="text-sm text-muted file:mr-3 file:rounded-lg file:border file:border-line file:bg-surface file:px-3 file:py-1.5 file:text-text"
          />
          {image !== '' && (
            <Button look="quiet" size="small" onClick={() => setImage('')}>
              Remove logo
            </Button>
          )}
        </div>
        <p id="logo-hint" className={`mt-1.5 text-[13px] ${errorOf('logo') ? 'text-danger' : 'text-muted'}`}>
          {errorOf('logo') ?? 'PNG, JPEG or WebP, at most 64 kB, 32 to 1,024 pixels wide and high'}
        </p>
      </div>
      <div className="sm:col-span-2">
        <Button type="submit" busy={isRunning}>
          Save profile
        </Button>
      </div>
    </form>
  );
}
