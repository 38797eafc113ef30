import { ArmedButton } from '../_ui/armed-button';
import { withPart } from '../_ui/with-part';
import type { Messages } from './messages';

type Props = {
  say: Pick<Messages, 'continueAs'>;
  email: string;
  look?: 'primary' | 'secondary';
  busy?: boolean;
  className?: string;
  onClick(): void;
};

/** "Continue as <address>", which may take several lines. */
export function ContinueButton({ say, email, className = '', ...rest }: Props) {
  return (
    <ArmedButton {...rest} size="large" className={`h-auto min-h-12 w-full py-2 ${className}`}>
      <span className="min-w-0 whitespace-normal">
        {withPart(
          (shown) => say.continueAs({ email: shown }),
          <span className="wrap-anywhere">{email}</span>,
        )}
      </span>
    </ArmedButton>
  );
}
