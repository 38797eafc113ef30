export { PageSkeleton as default } from '@/app/_ui/skeleton';
