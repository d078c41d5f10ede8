#!/usr/bin/env perl
# What TAP::Parser makes of a file: one line of counts. Test points with a YAML block are "diagnoses".
use strict;
use warnings;
use TAP::Parser;

my $parser = TAP::Parser->new({exec => ['cat', $ARGV[0]]});
my ($skipped, $diagnoses) = (0, 0);
while (my $result = $parser->next) {
	$skipped++ if $result->is_test && $result->has_skip;
	$diagnoses++ if $result->is_yaml;
}
printf "%d run, %d failed, %d skipped, %d parse errors, %d diagnoses\n", scalar $parser->tests_run, scalar $parser->failed, $skipped,
	scalar $parser->parse_errors, $diagnoses;
print STDERR "$_\n" for $parser->parse_errors;
