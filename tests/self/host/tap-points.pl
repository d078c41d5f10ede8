#!/usr/bin/env perl
# What TAP::Parser reads in a file: each point with its description, then what its directive and its YAML block say, by key. A group's
# block is a list under "off": its entries stand like those of a block.
use strict;
use warnings;
use TAP::Parser;

sub plain {
	my ($text) = @_;
	$text =~ s/\\(.)/$1/g;
	return $text;
}

sub show {
	my ($data) = @_;
	for my $key (sort keys %$data) {
		if (ref $data->{$key}) { show($_) for @{$data->{$key}} }
		else { print "  $key=$data->{$key}\n" }
	}
}

binmode STDOUT, ":utf8";
my $parser = TAP::Parser->new({exec => ['cat', $ARGV[0]]});
while (my $result = $parser->next) {
	if ($result->is_test) {
		printf "%s %u %s\n", $result->ok, $result->number, plain($result->description);
		printf "  %s=%s\n", $result->directive, plain($result->explanation) if $result->directive;
	}
	show($result->data) if $result->is_yaml;
}
print "parse error: $_\n" for $parser->parse_errors;
